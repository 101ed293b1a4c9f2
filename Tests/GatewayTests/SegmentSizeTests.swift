import Base
import Gateway
import Profile
import Settings
import Testing

@Suite("How large TCP of the LAN makes its packets")
struct SegmentSizeTests {
  private struct Row: CustomTestStringConvertible {
    var words: String
    var fix: MSSFix = .standard
    var cipher: DataCipher? = .aes256GCM
    var auth: Digest? = .sha1
    var peerID: UInt32? = 7
    var epochs = false
    var compression: CompressionFraming?
    var transport = Transport.udp
    var server = "203.0.113.9"
    var fragment: FragmentLimit?
    var pushedMTU: Int?
    var ownMTU: Int?
    var measured: Int?
    var uplink: Int?
    /// For IPv4.
    var segment: Int

    var testDescription: String { words }
  }

  private func state(_ row: Row) throws -> TunnelState {
    var profile = Profile()
    profile.auth = row.auth
    let location = SourceLocation(file: "test")
    var remote = Remote(host: "vpn.example.net", transport: row.transport, location: location)
    remote.mssFix = row.fix
    remote.fragment = row.fragment
    // The one in use is not the first.
    profile.remotes = [Remote(host: "other.example.net", location: location), remote]
    var pushed = PushedOptions()
    pushed.peerID = row.peerID
    pushed.cipher = row.cipher
    pushed.epochDataFormat = row.epochs
    pushed.compression = row.compression
    pushed.tunnel.mtu = row.pushedMTU
    let name = try #require(TunnelName("home"))
    let device = try #require(DeviceName("tun-home"))
    var settings = TunnelSettings(name: name, device: device, location: location)
    settings.mtu = row.ownMTU
    var state = TunnelState(
      name: name, index: 1, device: device, settings: settings, profile: profile, pushed: pushed,
      serverAddress: IPAddress(row.server))
    state.remoteIndex = 1
    state.measuredMTU = row.measured
    return state
  }

  /// The two tables of protocol.md section 10.2: what a packet may be inside for what is said of it.
  private static let table = [
    Row(words: "the default: 1492 outside", segment: 1400),
    Row(words: "over IPv6", server: "2001:db8::9", segment: 1380),
    Row(words: "over TCP", transport: .tcp, segment: 1386),
    Row(words: "with DATA_V1", peerID: nil, segment: 1403),
    Row(words: "epochs", epochs: true, segment: 1396),
    Row(words: "with framing of the first kind", compression: .stub, segment: 1399),
    Row(words: "with framing of the second kind", compression: .stubV2, segment: 1400),
    Row(words: "with fragment", fragment: FragmentLimit(size: 1300, includesHeaders: false), segment: 1396),
    Row(words: "CBC and SHA1", cipher: .aes256CBC, segment: 1379),
    Row(words: "CBC and SHA256", cipher: .aes256CBC, auth: .sha256, segment: 1363),
    Row(words: "CBC and SHA512", cipher: .aes256CBC, auth: .sha512, segment: 1331),
    Row(words: "the default of a tun-mtu of its own: that", pushedMTU: 1420, segment: 1380),
    Row(words: "n", fix: .packet(1450), segment: 1386),
    Row(
      words: "n over IPv6: the headers outside do not count", fix: .packet(1450), server: "2001:db8::9", segment: 1386),
    Row(words: "n over TCP", fix: .packet(1450), transport: .tcp, segment: 1384),
    Row(words: "n mtu", fix: .outer(1360), segment: 1268),
    Row(words: "n mtu over IPv6", fix: .outer(1360), server: "2001:db8::9", segment: 1248),
    Row(words: "n fixed", fix: .inner(1300), segment: 1260),
    Row(words: "0: nothing but what the device carries", fix: .off, segment: 1460),
    Row(words: "0 on a smaller device", fix: .off, pushedMTU: 1400, segment: 1360),
    Row(words: "more than the device carries", fix: .inner(1500), pushedMTU: 1400, segment: 1360),
    Row(words: "nonsense", fix: .packet(20), segment: 120),
  ]

  /// With what is known of the way.
  private static let ways = [
    Row(words: "the default on a PPPoE of 1492", uplink: 1492, segment: 1400),
    Row(words: "on one of 1452", uplink: 1452, segment: 1360),
    Row(words: "on one of 1452 with CBC: in whole blocks", cipher: .aes256CBC, uplink: 1452, segment: 1331),
    Row(words: "bare or nothing said, once it was measured: that", measured: 1448, segment: 1408),
    Row(words: "measured smaller", measured: 1348, uplink: 1452, segment: 1308),
    Row(words: "a number of the profile stays the limit", fix: .packet(1300), measured: 1448, segment: 1236),
    Row(words: "and what was measured stays the other", fix: .packet(1450), measured: 1348, segment: 1308),
    Row(words: "0: what was measured", fix: .off, measured: 1448, segment: 1408),
    Row(words: "the owner's own MTU", ownMTU: 1444, measured: 1300, segment: 1404),
    Row(words: "the owner's own MTU and the profile's mssfix", fix: .inner(1300), ownMTU: 1444, segment: 1260),
  ]

  @Test("mssfix in its forms", arguments: table + ways)
  private func forms(row: Row) throws {
    #expect(try state(row).largestTCPPacket(uplink: row.uplink) - 40 == row.segment)
  }

  @Test("O-27: both directions are clamped, IPv6 by 20 more, and a narrow uplink is part of the default")
  func ruleset() throws {
    func expected(_ four: Int) -> [String] {
      ["iifname ipv4 \(four)", "oifname ipv4 \(four)", "iifname ipv6 \(four - 20)", "oifname ipv6 \(four - 20)"]
    }
    var house = try Situations.full()
    house.tunnels[0].pushed?.peerID = 1
    #expect(try sizes(house) == expected(1400))
    house.tunnels[0].profile?.remotes[0].mssFix = .inner(1300)
    #expect(try sizes(house) == expected(1260))
    house.tunnels[0].profile?.remotes[0].mssFix = .off
    #expect(try sizes(house) == expected(1460))
    house.tunnels[0].profile?.remotes[0].mssFix = .standard
    house.snapshot.links[1].mtu = 1452
    #expect(try sizes(house) == expected(1360))
    // The autopilot has found out what passes: the device and the clamp are that.
    house.tunnels[0].measuredMTU = 1400
    #expect(try sizes(house) == expected(1360))
    house.tunnels[0].measuredMTU = 1380
    #expect(try sizes(house) == expected(1340))
  }

  @Test("the router's own connections are clamped too while the path is supposed to be narrower than the device")
  func routersOwn() throws {
    func expected(_ four: Int) -> [[String]] {
      [["iifname ipv4 \(four)", "iifname ipv6 \(four - 20)"], ["oifname ipv4 \(four)", "oifname ipv6 \(four - 20)"]]
    }
    func own(_ house: House) throws -> [[String]] {
      try ["clamp_mss_in", "clamp_mss_out"].map { try sizes(house, chain: $0) }
    }
    var house = try Situations.full()
    house.tunnels[0].pushed?.peerID = 1
    #expect(try own(house) == expected(1400))
    house.tunnels[0].measuredMTU = 1448
    #expect(try own(house) == [[], []])
    house.tunnels[0].profile?.remotes[0].mssFix = .inner(1300)
    #expect(try own(house) == expected(1260))
    house.tunnels[0].profile?.remotes[0].mssFix = .off
    house.tunnels[0].measuredMTU = nil
    #expect(try own(house) == [[], []])
  }

  @Test("without a gateway the LAN's connections are clamped as the path of the session asks")
  func withoutGateway() throws {
    var house = try Situations.full()
    house.tunnels[0].pushed?.peerID = 1
    house.settings.gateways = []
    #expect(try sizes(house).contains("oifname ipv4 1400"))
  }

  private func sizes(_ house: House, chain: String = "clamp_mss") throws -> [String] {
    let text = try #require(house.plan().ruleset)
    return rules(ofChain: chain, in: text).filter { $0.contains("\"tun-home\" ") }.map {
      let words = $0.split(separator: " ")
      return [words.first, words.dropFirst(4).first, words.last].compactMap { $0 }.joined(separator: " ")
    }
  }
}
