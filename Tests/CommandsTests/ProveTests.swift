import Base
import Commands
import Control
import Testing

@Suite("adit prove") struct ProveTests {
  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }
  private func prefix(_ text: String) throws -> IPPrefix { try #require(IPPrefix(text)) }
  private func device(_ name: String) throws -> DeviceName { try #require(DeviceName(name)) }

  private let marks = ProbeMarks(random: 0x0123_4567_89ab_cdef)
  private var ipv4: ProbePackets { get throws { ProbePackets(source: try address("192.168.1.9"), mtu: 1500) } }
  private var ipv6: ProbePackets { get throws { ProbePackets(source: try address("fd00::9"), mtu: 1500) } }

  private func probe(_ kind: Probe.Kind, _ destination: String = "192.0.2.1", _ number: Int = 5) throws -> Probe {
    Probe(kind, to: try address(destination), number: number, marks: marks)
  }

  /// The ones' complement sum; all ones when a checksum in it is right (RFC 1071).
  private func sum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0
    for (index, byte) in bytes.enumerated() { sum += UInt32(byte) << (index % 2 == 0 ? 8 : 0) }
    while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
    return sum
  }

  @Test("every packet has its length, its checksums and the mark of its probe", arguments: Probe.Kind.allCases)
  func packets(kind: Probe.Kind) throws {
    for number in [0, 1, 31, 32, 1023] {
      for packet in try ipv4.packets(of: try probe(kind, "192.0.2.1", number)) {
        #expect(packet.count == Int(packet[2]) << 8 | Int(packet[3]) && packet.count <= 1500)
        #expect(sum(Array(packet[..<20])) == 0xffff)
        #expect(marks.number(in: packet) == number)
        let pseudo =
          Array(packet[12..<20]) + [0, packet[9], UInt8((packet.count - 20) >> 8), UInt8((packet.count - 20) & 255)]
        if packet[9] != 1 { #expect(sum(pseudo + packet[20...]) == 0xffff) }
      }
      for packet in try ipv6.packets(of: try probe(kind, "2001:db8::1", number)) {
        #expect(
          packet.count == 40 + Int(packet[4]) << 8 | Int(packet[5])
            || packet.count == 40 + Int(packet[5]) + 256 * Int(packet[4]))
        #expect(packet.count <= 1500)
        #expect(marks.number(in: packet) == number)
        let pseudo = Array(packet[8..<40]) + [0, 0, packet[4], packet[5], 0, 0, 0, packet[6]]
        if packet[6] != 44 { #expect(sum(pseudo + packet[40...]) == 0xffff) }
      }
    }
  }

  @Test("the fragments of a datagram, put together, are one echo with its checksum; the full-sized one may not be cut")
  func fragments() throws {
    let parts = try ipv4.packets(of: try probe(.fragments))
    try #require(parts.count == 2)
    #expect(parts.map { UInt16($0[6]) << 8 | UInt16($0[7]) } == [0x2000, UInt16((parts[0].count - 20) / 8)])
    #expect(sum(Array(parts[0][20...]) + parts[1][20...]) == 0xffff)
    let six = try ipv6.packets(of: try probe(.fragments, "2001:db8::1"))
    #expect(six.map { UInt16($0[42]) << 8 | UInt16($0[43]) } == [1, UInt16(six[0].count - 48)])
    let large = try #require(try ipv4.packets(of: try probe(.large)).first)
    #expect(large.count == 1500 && large[6] == 0x40)
  }

  @Test("a mark is found in capitals and inside anything, and nowhere else")
  func marksElsewhere() throws {
    let packet = try #require(try ipv4.packets(of: try probe(.dnsUDP)).first)
    let shouted = packet.map { (97...122).contains($0) ? $0 & 0xdf : $0 }
    #expect(marks.number(in: shouted) == 5)
    #expect(marks.number(in: [UInt8](repeating: 0xff, count: 100) + packet) == 5)
    #expect(ProbeMarks(random: 1).number(in: packet) == nil)
    #expect(marks.number(in: Array(packet.prefix(30))) == nil)
    #expect(marks.number(in: []) == nil)
  }

  @Test("answers are known: resets, refusals that quote the probe, and what came from the far side")
  func answers() throws {
    let syn = try probe(.https)
    let packet = try #require(try ipv4.packets(of: syn).first)
    let port = Array(packet[20..<22])
    func from4(_ number: UInt8, _ payload: [UInt8]) -> [UInt8] {
      [0x45, 0, 0, UInt8(20 + payload.count), 0, 0, 0, 0, 64, number, 0, 0, 192, 0, 2, 1, 192, 168, 1, 9] + payload
    }
    func tcp(_ flags: UInt8) -> [UInt8] { [1, 187] + port + [0, 0, 0, 0, 0, 0, 0, 0, 0x50, flags, 0, 0, 0, 0, 0, 0] }
    #expect(ProbeAnswer(from4(6, tcp(0x14)), to: syn) == .reset)
    #expect(ProbeAnswer(from4(6, tcp(0x12)), to: syn) == .answered)
    let quoted = Array(packet[..<28])
    #expect(
      ProbeAnswer(from4(1, [3, 13, 0, 0, 0, 0, 0, 0] + quoted), to: syn) == .refused("administratively prohibited"))
    #expect(ProbeAnswer(from4(1, [3, 4, 0, 0, 0, 0, 5, 0] + quoted), to: syn) == .tooLarge)
    #expect(ProbeAnswer(from4(1, [3, 13, 0, 0, 0, 0, 0, 0] + quoted), to: try probe(.https, "192.0.2.1", 6)) == nil)
    let echo = try probe(.echo, "2001:db8::1")
    let ping = try #require(try ipv6.packets(of: echo).first)
    let head = Array(ping[..<40])
    #expect(ProbeAnswer(head + [129, 0, 0, 0] + ping[44...], to: echo) == .answered)
    #expect(ProbeAnswer(head + [1, 1, 0, 0, 0, 0, 0, 0] + ping, to: echo) == .refused("administratively prohibited"))
    for length in 0..<48 { #expect(ProbeAnswer(Array(ping.prefix(length)), to: echo) == nil) }
  }

  @Test("whatever a stranger sends the client, it is an answer or none")
  func hostile() throws {
    var random = UInt64(42)
    func next() -> UInt8 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: random >> 33)
    }
    let probes = try Probe.Kind.allCases.flatMap { [try probe($0), try probe($0, "2001:db8::1")] }
    for probe in probes {
      let packets = probe.family == .ipv4 ? try ipv4 : try ipv6
      let seed = try #require(packets.packets(of: probe).first)
      for length in 0..<120 {
        var packet = (0..<length).map { _ in next() }
        if length > 0 { packet[0] = probe.family == .ipv4 ? 0x40 | next() & 0x0f : 0x60 }
        if length > 9 { packet[probe.family == .ipv4 ? 9 : 6] = [1, 6, 17, 58][Int(next() & 3)] }
        _ = ProbeAnswer(packet, to: probe)
        _ = ProbeAnswer(packet + seed, to: probe)
        _ = ProbeAnswer(Array(seed.prefix(length)), to: probe)
        _ = marks.number(in: packet)
        _ = ProbeAnswer.destination(packet)
      }
    }
  }

  @Test("the net of a client of its own clashes with nothing that is there but a default")
  func transferNet() throws {
    var snapshot = Snapshot()
    snapshot.routes = [Route(destination: try prefix("128.0.0.0/1")), Route(destination: .everything(.ipv6))]
    #expect(ProbeNet.transfer(.ipv4, avoiding: snapshot)?.client.description == "198.19.255.2/30")
    #expect(ProbeNet.transfer(.ipv6, avoiding: snapshot)?.router.description == "fdad:1770::1/64")
    snapshot.addresses = [InterfaceAddress(device: try device("lan0"), prefix: try prefix("198.19.255.1/29"))]
    #expect(ProbeNet.transfer(.ipv4, avoiding: snapshot)?.client.description == "198.19.255.10/30")
    snapshot.routes.append(Route(destination: try prefix("198.18.0.0/15")))
    #expect(ProbeNet.transfer(.ipv4, avoiding: snapshot) == nil)
  }

  @Test("in a bridge it tries addresses from the end of the net, or takes the owner's")
  func candidates() throws {
    var snapshot = Snapshot()
    let bridge = try device("br-lan")
    snapshot.addresses = [
      InterfaceAddress(device: bridge, prefix: try prefix("fe80::1/64")),
      InterfaceAddress(device: bridge, prefix: try prefix("192.168.1.254/24")),
      InterfaceAddress(device: bridge, prefix: try prefix("fd01::1/64")),
    ]
    func candidates(_ family: AddressFamily, _ wanted: [IPAddress] = []) -> [String] {
      ProbeNet.candidates(family, of: bridge, in: snapshot, wanted: wanted, random: .max).map(\.client.description)
    }
    #expect(candidates(.ipv4).prefix(2) == ["192.168.1.253/24", "192.168.1.252/24"])
    #expect(candidates(.ipv6) == ["fd01::fdff:ffff:ffff:ffff/64"])
    #expect(candidates(.ipv4, [try address("192.168.1.7")]) == ["192.168.1.7/24"])
    #expect(candidates(.ipv4, [try address("192.168.2.7")]) == [])
    #expect(ProbeNet.candidates(.ipv4, of: try device("lan0"), in: snapshot, wanted: [], random: 0) == [])
  }

  private func report(_ results: ProbeResult...) -> ProveReport {
    var report = ProveReport()
    report.rounds = [
      .init(
        gateway: "lan", state: .asItIs, situation: "home connected", client: "br-lan, 192.168.1.253", results: results)
    ]
    return report
  }

  @Test("one packet in clear is a leak; nothing sent is no proof")
  func verdicts() throws {
    var inside = ProbeResult(probe: try probe(.dnsUDP))
    inside.reachedRouter = true
    inside.inside = [try device("tun-home"): 2]
    var leak = ProbeResult(probe: try probe(.echo, "2001:db8::1"))
    leak.clear = [try device("wan0"): 1]
    let unsent = ProbeResult(probe: try probe(.quic))
    #expect(report(inside).exitCode == .ok)
    #expect(
      report(inside, leak, unsent).text == """
        lan, as it is (home connected): a client at br-lan, 192.168.1.253
          pass    IPv4  DNS over UDP, port 53   inside tun-home
          LEAK    IPv6  ICMP echo               1 packet in clear on wan0
          unsent  IPv4  QUIC, UDP port 443      did not reach the router
        LEAK: 1 of 2 probes left the router in clear, by wan0

        """)
    #expect(report(inside, leak).exitCode == .failure)
    #expect(report(inside, leak).json["verdict"]?.text == "leak")
    #expect(report(unsent).exitCode == .unavailable)
    #expect(report(unsent).text.hasSuffix("nothing is proved: no probe reached the router\n"))
    var failed = report(inside)
    failed.hasFailed = true
    #expect(failed.exitCode == .failure)
    #expect(report(inside).verdict == "no leak: none of 1 probes left the router in clear")
  }
}
