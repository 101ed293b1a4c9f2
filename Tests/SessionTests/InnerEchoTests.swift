import Base
import Crypto
import Session
import TestKit
import Testing

@Suite("Echoes inside the tunnel")
struct InnerEchoTests {
  private let now = Instant(nanoseconds: 1_000_000_000)
  private static let pairs: [(IPAddress, IPAddress)] = [
    (.v4(IPv4Address(10, 8, 0, 2)), .v4(IPv4Address(10, 8, 0, 1))),
    (
      .v6(IPv6Address(high: 0xfd08_0000_0000_0000, low: 0x1000)),
      .v6(IPv6Address(high: 0xfd08_0000_0000_0000, low: 1))
    ),
  ]

  private func make(
    _ echo: inout InnerEcho, from source: IPAddress, to target: IPAddress, size: Int = 0
  ) throws -> [UInt8] {
    let packet = echo.request(.size, from: source, to: target, size: size, isWhole: true, at: now)
    return try #require(packet)
  }

  private func replied(to packet: [UInt8]) throws -> [UInt8] { try #require(InnerPacket.echoAnswer(to: packet)) }

  private func read(_ echo: inout InnerEcho, _ packet: [UInt8], at time: Instant? = nil) -> InnerEcho.Answer? {
    echo.answer(packet.span, at: time ?? now)
  }

  private func expectNothing(
    _ echo: inout InnerEcho, _ packet: [UInt8], _ words: String = "", isSomething: Bool = false
  ) {
    let answer = read(&echo, packet)
    #expect((answer != nil) == isSomething, "\(words)")
  }

  /// RFC 1071: with its checksum in it, what is summed gives zero.
  private func isSound(_ packet: [UInt8]) -> Bool {
    guard packet[0] >> 4 == 6 else {
      return EchoPacket.checksum(Array(packet[..<20])) == 0 && EchoPacket.checksum(Array(packet[20...])) == 0
    }
    var pseudo = Array(packet[8..<40])
    pseudo.append(bigEndian: UInt32(packet.count - 40))
    return EchoPacket.checksum(pseudo + [0, 0, 0, 58] + packet[40...]) == 0
  }

  @Test("A request is a sound packet of the size that was asked for, and whole when it must be", arguments: 0..<2)
  func request(family: Int) throws {
    let (source, target) = Self.pairs[family]
    var echo = InnerEcho(random: .seeded(1))
    for size in [0, 100, 1399, 1500, 65_535] {
      let packet = try make(&echo, from: source, to: target, size: size)
      #expect(packet.count == max(size, InnerEcho.smallest(source.family)))
      #expect(isSound(packet))
      if source.family == .ipv4 { #expect(packet[6] == 0x40) }
    }
    let tooLarge = echo.request(.size, from: source, to: target, size: 65_536, at: now)
    let mixed = echo.request(.life, from: source, to: Self.pairs[1 - family].1, at: now)
    #expect(tooLarge == nil && mixed == nil)
  }

  @Test("The answer tells who asked, how large the packet was and how long it took, once", arguments: 0..<2)
  func answer(family: Int) throws {
    let (source, target) = Self.pairs[family]
    var echo = InnerEcho(random: .seeded(1))
    #expect(!echo.isWaiting)
    let packet = try make(&echo, from: source, to: target, size: 1400)
    #expect(echo.isWaiting)
    let reply = try replied(to: packet)
    let answer = read(&echo, reply, at: now + .milliseconds(31))
    #expect(answer == .init(purpose: .size, size: 1400, sentAt: now, roundTrip: .milliseconds(31)))
    #expect(echo.takenPackets == 1 && echo.takenBytes == 1400)
    expectNothing(&echo, reply)
    #expect(!echo.isWaiting)
  }

  @Test("Pings of hosts, answers of others, cut and altered packets are none of ours", arguments: 0..<2)
  func foreign(family: Int) throws {
    let (source, target) = Self.pairs[family]
    var echo = InnerEcho(random: .seeded(1))
    var other = InnerEcho(random: .seeded(2))
    let packet = try make(&echo, from: source, to: target)
    let foreign = try make(&other, from: source, to: target)
    expectNothing(&echo, try replied(to: foreign))
    expectNothing(&echo, packet)
    let reply = try replied(to: packet)
    for count in 0..<reply.count { expectNothing(&echo, Array(reply[..<count])) }
    let header = source.family == .ipv4 ? 20 : 40
    // Source, type, identifier, sequence and mark; not hops, checksum and the like.
    let telling = (source.family == .ipv4 ? Array(12..<16) : Array(8..<24)) + [header] + Array(header + 4..<header + 16)
    for index in telling {
      var altered = reply
      altered[index] ^= 0x10
      expectNothing(&echo, altered, "byte \(index)")
    }
    expectNothing(&echo, reply, isSomething: true)
  }

  @Test("What is not answered is given up after a while, and never more is kept than a few")
  func patience() throws {
    let (source, target) = Self.pairs[0]
    var echo = InnerEcho(random: .seeded(1))
    let first = try make(&echo, from: source, to: target)
    for _ in 0..<64 { _ = echo.request(.life, from: source, to: target, at: now) }
    expectNothing(&echo, try replied(to: first))
    echo.forget(at: now + .seconds(9))
    #expect(echo.isWaiting)
    echo.forget(at: now + .seconds(10))
    #expect(!echo.isWaiting)
  }
}
