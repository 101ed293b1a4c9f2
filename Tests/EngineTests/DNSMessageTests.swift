import Base
import Engine
import Testing

@Suite("Answers of the DNS that pass inside the tunnel")
struct DNSMessageTests {
  private func parse(_ bytes: [UInt8]) -> DNSMessage? { DNSMessage(bytes.span) }

  private func addresses(_ bytes: [UInt8]) -> [String]? {
    parse(bytes)?.addresses.map { "\($0.address) \($0.lifetime)" }
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("A plain answer gives its name in lower case, its addresses and their lifetimes")
  func plain() throws {
    let bytes = DNSBytes.answer(
      "WWW.Example.lab", identifier: 0xbeef,
      [
        DNSBytes.record(DNSBytes.pointer, .address("198.51.100.7"), lifetime: 60),
        DNSBytes.record(DNSBytes.name("www.example.LAB"), .address("2001:db8::7"), lifetime: 120),
        DNSBytes.record(DNSBytes.pointer, .address("198.51.100.7"), lifetime: 61),
        DNSBytes.record(DNSBytes.pointer, .raw(16, bytes("text"))),
      ])
    let message = try #require(parse(bytes))
    #expect(message.identifier == 0xbeef)
    #expect(message.isAnswer)
    #expect(message.question == "www.example.lab")
    #expect(addresses(bytes) == ["198.51.100.7 60", "2001:db8::7 120"])
  }

  @Test("A question is one, and has no addresses")
  func question() throws {
    let message = try #require(parse(DNSBytes.question("_srv.example.lab", type: 28)))
    #expect(!message.isAnswer)
    #expect(message.question == "_srv.example.lab")
    #expect(message.addresses.isEmpty)
  }

  @Test("Aliases are followed in any order, and the shortest life counts")
  func aliases() {
    let first = DNSBytes.record(DNSBytes.pointer, .alias("b.cdn.lab"), lifetime: 30)
    let second = DNSBytes.record(DNSBytes.name("b.cdn.lab"), .alias("c.cdn.lab"), lifetime: 600)
    let last = DNSBytes.record(DNSBytes.name("c.cdn.lab"), .address("198.51.100.9"), lifetime: 90)
    for order in [[first, second, last], [last, second, first], [second, last, first]] {
      #expect(addresses(DNSBytes.answer("a.example.lab", order)) == ["198.51.100.9 30"])
    }
  }

  @Test("An address of a name that the question does not lead to is not its own")
  func stranger() {
    let stray = DNSBytes.record(DNSBytes.name("bank.lab"), .address("198.51.100.66"))
    let own = DNSBytes.record(DNSBytes.pointer, .address("198.51.100.7"), lifetime: 5)
    #expect(addresses(DNSBytes.answer("a.lab", [stray, own])) == ["198.51.100.7 5"])
    #expect(addresses(DNSBytes.answer("a.lab", [stray])) == [])
  }

  @Test("Aliases in a circle, and more of them than anybody needs, end")
  func circles() {
    let circle = [
      DNSBytes.record(DNSBytes.pointer, .alias("b.lab")), DNSBytes.record(DNSBytes.name("b.lab"), .alias("a.lab")),
    ]
    #expect(addresses(DNSBytes.answer("a.lab", circle)) == [])
    let chain = (0..<40).map { DNSBytes.record(DNSBytes.name("n\($0).lab"), .alias("n\($0 + 1).lab")) }
    let end = DNSBytes.record(DNSBytes.name("n40.lab"), .address("198.51.100.7"))
    #expect(addresses(DNSBytes.answer("n0.lab", chain + [end])) == [])
  }

  @Test("Names end: pointers go only backwards, and no name is longer than 255 bytes")
  func names() {
    let header: [UInt8] = [0, 7, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0]
    let tail: [UInt8] = [0, 1, 0, 1]
    // To itself, forwards, and into the header.
    #expect(parse(header + [0xc0, 12] + tail) == nil)
    #expect(parse(header + [0xc0, 14, 1, 97, 0] + tail) == nil)
    #expect(parse(header + [1, 97, 0xc0, 12] + tail) == nil)
    #expect(parse(header + [0xff, 0xff] + tail) == nil)
    // Reserved kinds of labels.
    #expect(parse(header + [0x40, 97, 0] + tail) == nil)
    #expect(parse(header + [0x80, 97, 0] + tail) == nil)
    // The root has no name.
    #expect(parse(header + [0] + tail) == nil)
    let label = [UInt8(63)] + Array(repeating: 97, count: 63)
    #expect(parse(header + label + label + label + [1, 97, 0] + tail)?.question.utf8.count == 193)
    #expect(parse(header + label + label + label + label + [0] + tail) == nil)
    #expect(parse(header + [63, 97]) == nil)
  }

  @Test("A chain of pointers is followed for a few steps only")
  func pointers() {
    // Each record's owner points at the owner before it.
    var records: [[UInt8]] = []
    var offset = 12 + DNSBytes.name("a.lab").count + 4
    var target = 12
    for _ in 0..<60 {
      records.append(
        DNSBytes.record([0xc0 | UInt8(target >> 8), UInt8(target & 255)], .address("198.51.100.\(records.count)")))
      target = offset
      offset += 16
    }
    #expect(parse(DNSBytes.answer("a.lab", records))?.addresses.count == DNSMessage.mostPointers)
  }

  @Test(
    "What is no host name is none",
    arguments: [
      "a b.lab", "a;b.lab", "a\"b.lab", "a{b.lab", "a/b.lab", "ä.lab", "a\n.lab", "*.lab", "a#b.lab", "a$b.lab",
    ])
  func characters(_ name: String) {
    #expect(parse(DNSBytes.answer(name, [DNSBytes.record(DNSBytes.pointer, .address("198.51.100.7"))])) == nil)
  }

  @Test("A refusal, another kind of query and more than one question are not looked at")
  func others() {
    let record = DNSBytes.record(DNSBytes.pointer, .address("198.51.100.7"))
    for flags in [0x8183, 0x8182, 0xa980, 0x8980] {
      #expect(parse(DNSBytes.answer("a.lab", flags: flags, [record])) == nil)
    }
    for count in [UInt8(0), 2, 255] {
      var bytes = DNSBytes.answer("a.lab", [record])
      bytes[5] = count
      #expect(parse(bytes) == nil)
    }
  }

  @Test("Another class and a record of the wrong length give no address")
  func wrongRecords() {
    var chaos = DNSBytes.record(DNSBytes.pointer, .address("198.51.100.7"))
    chaos[5] = 3
    let short = DNSBytes.record(DNSBytes.pointer, .raw(1, [1, 2, 3]))
    let long = DNSBytes.record(DNSBytes.pointer, .raw(28, Array(repeating: 1, count: 17)))
    let good = DNSBytes.record(DNSBytes.pointer, .address("198.51.100.8"), lifetime: 0x8000_0001)
    #expect(addresses(DNSBytes.answer("a.lab", [chaos, short, long, good])) == ["198.51.100.8 0"])
  }

  @Test("An answer that breaks off gives what stands before, at every byte; one that lies about its count does too")
  func cuts() {
    let records = (1...3).map { DNSBytes.record(DNSBytes.pointer, .address("198.51.100.\($0)")) }
    let whole = DNSBytes.answer("a.lab", records)
    var most = 0
    for count in 0...whole.count {
      let found = parse(Array(whole.prefix(count)))?.addresses.count ?? 0
      #expect(found >= most)
      most = found
    }
    #expect(most == 3)
    var lying = whole
    lying[6] = 0xff
    lying[7] = 0xff
    #expect(parse(lying)?.addresses.count == 3)
  }

  @Test("Of thousands of records the first 256 are read")
  func floods() {
    let records = (0..<3000).map {
      DNSBytes.record(DNSBytes.pointer, .address("198.51.\($0 / 250).\($0 % 250)"))
    }
    #expect(parse(DNSBytes.answer("a.lab", records))?.addresses.count == 256)
  }

  @Test("Hundreds of thousands of mangled answers never trap and never give a name that is none")
  func mangled() {
    var state: UInt64 = 20_26
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let seeds = [
      DNSBytes.answer(
        "www.example.lab",
        [
          DNSBytes.record(DNSBytes.pointer, .alias("b.cdn.lab")),
          DNSBytes.record(DNSBytes.name("b.cdn.lab"), .address("198.51.100.9")),
          DNSBytes.record([0xc0, 16], .address("2001:db8::9")),
        ]),
      DNSBytes.question("example.lab"),
      DNSBytes.answer(
        "a.b.c.d.e", (0..<30).map { DNSBytes.record([0xc0, UInt8(12 + $0 % 9)], .address("192.0.2.\($0)")) }),
    ]
    #if DEBUG
      let rounds = 20_000
    #else
      let rounds = 500_000
    #endif
    var understood = 0
    for round in 0..<rounds {
      var bytes = seeds[round % seeds.count]
      for _ in 0...next(6) {
        switch next(5) {
        case 0: bytes[next(bytes.count)] = UInt8(next(256))
        case 1: bytes[next(bytes.count)] ^= 1 << UInt8(next(8))
        case 2: bytes.removeLast(next(min(bytes.count, 20)))
        case 3: bytes.insert(UInt8(next(256)), at: next(bytes.count))
        default: bytes[next(bytes.count)] = 0xc0
        }
      }
      if next(3) == 0 {
        // Around it, a packet whose headers are mangled too.
        var packet = DNSBytes.ipv4(from: "10.8.0.1", to: "10.8.0.2", DNSBytes.udp(from: 53, to: 4000, bytes))
        packet[next(28)] = UInt8(next(256))
        guard let datagram = InnerDatagram(packet.span) else { continue }
        bytes = Array(packet[datagram.payload])
      }
      guard let message = parse(bytes) else { continue }
      understood += 1
      let isName = message.question.utf8.allSatisfy {
        (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 46 || $0 == 95
      }
      if !isName || message.question.isEmpty || message.question.utf8.count > 253 || message.addresses.count > 256 {
        Issue.record("round \(round): \(message)")
      }
    }
    #expect(understood > rounds / 20)
  }
}
