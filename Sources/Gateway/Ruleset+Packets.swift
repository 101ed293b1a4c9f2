import Base
import Settings

extension Ruleset {
  /// Header of IP and TCP without options, which the MSS does not count.
  private static func headers(_ family: AddressFamily) -> Int { family == .ipv4 ? 40 : 60 }

  /// SYN and SYN-ACK of the LAN, both directions. `rt mtu` knows the way of a packet only in the direction it goes, and so
  /// misses the SYN-ACK of forwarded flows; towards the uplink it knows paths that are narrower than the device. `size set`
  /// never raises.
  var clampMSS: NftChain {
    var rules: [NftRule] = []
    let gateway = situation.gateways.first(where: \.settings.clampsMSS)
    if gateway != nil || situation.gateways.isEmpty {
      for session in situation.sessions {
        rules += clamps(bothWays(session.state.device), largest: largest(session))
      }
      rules = rules.because(gateway?.origin("mss_clamp") ?? Self.sessionPath)
    }
    if let gateway {
      var outside = situation.surroundings.narrowUplinks.flatMap { device, mtu in
        clamps(bothWays(device), largest: mtu)
      }
      outside.append(NftRule(.into("uplinks"), .opensConnection, then: .segmentSize(.route)))
      rules += outside.because(gateway.origin("mss_clamp"))
    }
    return NftChain("clamp_mss", NftHook(.filter, .forward, .mangle), rules)
  }

  /// The same of the router's own connections, whose segments fit the device anyway: so they are there only while a path is
  /// supposed to be narrower than its device, because the profile says so or nothing was measured yet.
  var clampsOwnMSS: [NftChain] {
    let narrow = situation.sessions.filter { largest($0) < $0.state.mtu }
    func rules(_ way: (TunnelNetwork) -> NftMatch) -> [NftRule] {
      narrow.flatMap { clamps([way($0)], largest: largest($0)) }.because(Self.sessionPath)
    }
    return [
      NftChain("clamp_mss_in", NftHook(.filter, .input, .mangle), rules { .input(.device($0.state.device)) }),
      NftChain("clamp_mss_out", NftHook(.filter, .output, .mangle), rules { .output(.device($0.state.device)) }),
    ]
  }

  private static let sessionPath = NftOrigin("the path of the session")

  private func largest(_ session: TunnelNetwork) -> Int {
    session.state.largestTCPPacket(uplink: situation.surroundings.narrowUplinks.map(\.mtu).min())
  }

  private func bothWays(_ device: DeviceName) -> [NftMatch] { [.input(.device(device)), .output(.device(device))] }

  private func clamps(_ ways: [NftMatch], largest: Int) -> [NftRule] {
    AddressFamily.allCases.flatMap { family in
      let size = NftStatement.segmentSize(.fixed(largest - Self.headers(family)))
      return ways.map { NftRule($0, .family(family), .opensConnection, then: size) }
    }
  }

  var natOut: NftChain {
    NftChain(
      "nat_out", NftHook(.nat, .postrouting, .srcnat),
      [NftRule(.into("nat_tunnels"), then: .masquerade).because(NftOrigin("masquerade"))] + ownAddresses
        + routerMasquerade)
  }

  /// The router chose its address for the tunnel before a policy chose the uplink.
  private var ownAddresses: [NftRule] {
    guard fromRouter != nil else { return [] }
    return AddressFamily.allCases.compactMap { family in
      let hosts = situation.sessions.flatMap(\.addresses).map { IPPrefix.host($0.prefix.address) }
        .filter { $0.family == family }.withoutOverlaps
      guard !hosts.isEmpty else { return nil }
      return NftRule(
        .into("uplinks"), isMarked(situation.marks.wan), .source(family, .prefixes(hosts)), then: .masquerade
      ).because(.marked)
    }
  }
}
