import Base
import Engine
import Exchange
import Profile
import Testing

@Suite("Which answers wait for the firewall")
struct NameWatchTests {
  private let now = Instant(nanoseconds: 1_000_000_000_000)
  private let client: (address: String, port: UInt16) = ("10.8.0.2", 40_000)
  private let server = "10.8.0.1"

  private func watch(_ domains: String...) -> NameWatch {
    var watch = NameWatch()
    watch.watch(WatchOrder(generation: 3, domains: domains.compactMap { DomainName($0) }))
    return watch
  }

  private func question(_ name: String, identifier: UInt16 = 7) -> [UInt8] {
    DNSBytes.ipv4(
      from: client.address, to: server,
      DNSBytes.udp(from: client.port, to: 53, DNSBytes.question(name, identifier: identifier)))
  }

  private func answer(
    _ name: String, identifier: UInt16 = 7, _ addresses: [String] = ["198.51.100.7"], from: String? = nil,
    port: UInt16? = nil
  ) -> [UInt8] {
    let records = addresses.map { DNSBytes.record(DNSBytes.pointer, .address($0)) }
    return DNSBytes.ipv4(
      from: from ?? server, to: client.address,
      DNSBytes.udp(from: 53, to: port ?? client.port, DNSBytes.answer(name, identifier: identifier, records)))
  }

  private func ask(_ watch: inout NameWatch, _ packets: [UInt8]...) {
    var burst = Burst(capacity: 64 * 1024, maximumCount: 64)
    for packet in packets { _ = burst.append(copying: packet) }
    watch.noticeQuestions(in: burst)
  }

  /// - Returns: what was kept, in the order of the packets.
  private func come(_ watch: inout NameWatch, _ packets: [UInt8]..., at moment: Instant? = nil) -> [Bool] {
    var burst = Burst(capacity: 64 * 1024, maximumCount: 64)
    for (index, packet) in packets.enumerated() {
      _ = burst.append(copying: packet)
      burst[index].verdict = .forward
    }
    watch.holdAnswers(in: &burst, at: moment ?? now)
    return packets.indices.map { burst[$0].verdict == .consumed }
  }

  @Test("A name is the domain or lies under it; the dot decides")
  func matching() {
    let domains = WatchedDomains(["example.lab", "www.example.lab", "lab2"].compactMap { DomainName($0) })
    #expect(domains.nearest(to: "example.lab") == 0)
    #expect(domains.nearest(to: "a.b.example.lab") == 0)
    #expect(domains.nearest(to: "a.www.example.lab") == 1)
    #expect(domains.nearest(to: "x.lab2") == 2)
    for name in ["badexample.lab", "example.lab.evil", "lab", "", ".", "example", "example.lab."] {
      #expect(domains.nearest(to: name) == nil, "\(name)")
    }
  }

  @Test("An answer to a question of the LAN waits until its addresses stand")
  func holding() {
    var watch = watch("example.lab", "lab")
    #expect(watch.isOn)
    let packet = answer("www.example.lab", ["198.51.100.7", "198.51.100.8"])
    ask(&watch, question("www.example.lab"), question("other.net"), InnerPacketBytes.tcp)
    #expect(come(&watch, InnerPacketBytes.tcp, answer("other.net"), packet) == [false, false, true])
    let reports = watch.takeReports()
    #expect(reports.count == 1)
    #expect(reports.first?.generation == 3)
    #expect(
      reports.first?.items.map { "\($0.domain) \($0.address) \($0.lifetime)" } == [
        "0 198.51.100.7 300", "0 198.51.100.8 300",
      ])
    #expect(watch.deadline == now + NameWatch.patience)
    #expect(watch.release(99) == nil)
    #expect(watch.release(reports[0].sequence) == packet)
    #expect(watch.release(reports[0].sequence) == nil)
    #expect(watch.deadline == nil)
  }

  @Test("Without a word of the supervisor it goes on after 200 ms, the first first")
  func patience() {
    var watch = watch("example.lab")
    ask(&watch, question("example.lab", identifier: 1), question("example.lab", identifier: 2))
    let (first, second) = (answer("example.lab", identifier: 1), answer("example.lab", identifier: 2))
    #expect(come(&watch, first) == [true])
    #expect(come(&watch, second, at: now + .milliseconds(50)) == [true])
    #expect(watch.releaseLate(at: now + .milliseconds(199)).isEmpty)
    #expect(watch.releaseLate(at: now + .milliseconds(200)) == [first])
    #expect(watch.deadline == now + .milliseconds(250))
    #expect(watch.releaseLate(at: now + .seconds(1)) == [second])
  }

  @Test("What nobody asked decides nothing: another server, port, number or name, and the same answer again")
  func unasked() {
    var watch = watch("example.lab")
    #expect(come(&watch, answer("example.lab")) == [false])
    ask(&watch, question("example.lab"))
    let wrong = [
      answer("example.lab", from: "10.8.0.66"), answer("example.lab", port: 40_001),
      answer("example.lab", identifier: 8), answer("a.example.lab"), question("example.lab"),
    ]
    for packet in wrong { #expect(come(&watch, packet) == [false]) }
    #expect(come(&watch, answer("example.lab"), answer("example.lab")) == [true, false])
    #expect(watch.takeReports().count == 1)
  }

  @Test("An answer without an address goes through")
  func noAddress() {
    var watch = watch("example.lab")
    ask(&watch, question("example.lab"))
    #expect(come(&watch, answer("example.lab", [])) == [false])
    #expect(!watch.hasReports)
  }

  @Test("With too many held, an answer goes through at once and is counted; its addresses are reported all the same")
  func full() {
    var watch = watch("example.lab")
    for number in 0..<UInt16(NameWatch.mostHeld) {
      ask(&watch, question("example.lab", identifier: number))
      #expect(come(&watch, answer("example.lab", identifier: number)) == [true])
    }
    ask(&watch, question("example.lab", identifier: 999))
    #expect(come(&watch, answer("example.lab", identifier: 999)) == [false])
    #expect(watch.unheld == 1)
    #expect(watch.takeReports().count == NameWatch.mostHeld + 1)
    #expect(watch.releaseLate(at: now + .seconds(1)).count == NameWatch.mostHeld)
  }

  @Test("Questions without an answer are forgotten in the end, the oldest first")
  func forgetting() {
    var watch = watch("example.lab")
    for number in 0..<UInt16(NameWatch.mostAsked + 1) { ask(&watch, question("example.lab", identifier: number)) }
    #expect(come(&watch, answer("example.lab", identifier: 0)) == [false])
    #expect(come(&watch, answer("example.lab", identifier: UInt16(NameWatch.mostAsked))) == [true])
  }

  @Test("Without a domain nothing is watched; what is held still goes on")
  func off() {
    var watch = watch("example.lab")
    ask(&watch, question("example.lab"))
    #expect(come(&watch, answer("example.lab")) == [true])
    watch.watch(WatchOrder(generation: 4, domains: []))
    #expect(!watch.isOn)
    #expect(!watch.hasReports)
    #expect(watch.releaseLate(at: now + .seconds(1)).count == 1)
    #expect(!NameWatch().isOn)
  }

  @Test("All that one answer can give fits into one report")
  func flood() throws {
    var watch = watch("lab", "a.lab", "b.a.lab")
    ask(&watch, question("b.a.lab"))
    let many = (0..<600).map { "198.51.\($0 / 250).\($0 % 250)" }
    #expect(come(&watch, answer("b.a.lab", many)) == [true])
    let report = try #require(watch.takeReports().first)
    #expect(report.items.count == ExchangeLimit.names)
    #expect(report.items.allSatisfy { $0.domain == 2 })
    #expect(Report.names(report).encoded() != nil)
  }
}

private enum InnerPacketBytes {
  static let tcp: [UInt8] = {
    var packet = DNSBytes.ipv4(from: "10.8.0.1", to: "10.8.0.2", Array(repeating: 0, count: 40))
    packet[9] = 6
    return packet
  }()
}
