import Base
import TLS
import TestKit
import Testing

@Suite("TLS endpoints in memory") struct EndpointTests {
  @Test(
    "both versions come up, whatever size the wire cuts", arguments: [TLSVersion.v1_2, .v1_3], [1, 7, 100, 16_000])
  func handshake(version: TLSVersion, slice: Int) throws {
    let options = World.clientOptions {
      $0.minimumVersion = version
      $0.maximumVersion = version
    }
    var pair = try Pair(client: World.context(options), server: World.context(World.serverOptions(), .server))
    pair.slice = slice
    // One byte at a time needs more rounds than `run` has.
    for _ in 0..<10 { pair.run() }
    #expect(pair.clientProgress == .established)
    #expect(pair.serverProgress == .established)
    let agreed = pair.client.summary
    let summary = try #require(agreed)
    #expect(summary.version == "TLSv\(version.name)")
    #expect(summary.subject == "CN=server")
    #expect(summary.notAfter == TestTime.days(3_285))
    #expect(summary.cipher.hasPrefix(version == .v1_3 ? "TLS_" : "ECDHE-ECDSA-"))
  }

  @Test("each message written arrives as one record of its own") func records() throws {
    var pair = try Pair(
      client: World.context(World.clientOptions()), server: World.context(World.serverOptions(), .server))
    let tooEarly = pair.client.write([1])
    #expect(!tooEarly)
    pair.run()
    let messages: [[UInt8]] = [[1], Array(repeating: 2, count: 2_000), [3, 0], Array(repeating: 4, count: 16_384)]
    for message in messages {
      let written = pair.client.write(message)
      #expect(written)
    }
    let tooLarge = pair.client.write(Array(repeating: 0, count: 16_385))
    #expect(!tooLarge)
    pair.run()
    let received = pair.server.read()
    #expect(received == messages)
    let again = pair.server.read()
    #expect(again.isEmpty)
  }

  @Test("both ends export the same bytes, and another label other bytes") func exporter() throws {
    var pair = try Pair(
      client: World.context(World.clientOptions()), server: World.context(World.serverOptions(), .server))
    let early = pair.client.exportKey(label: "EXPORTER-OpenVPN-datakeys", count: 256)
    #expect(early == nil)
    pair.run()
    let ours = pair.client.exportKey(label: "EXPORTER-OpenVPN-datakeys", count: 256)
    let theirs = pair.server.exportKey(label: "EXPORTER-OpenVPN-datakeys", count: 256)
    let other = pair.client.exportKey(label: "EXPORTER-OpenVPN-dynamic-tls-crypt", count: 256)
    #expect(ours?.count == 256)
    #expect(ours == theirs)
    #expect(ours != other)
  }

  @Test("one context serves many connections") func contextReuse() throws {
    let client = try World.context(World.clientOptions())
    let server = try World.context(World.serverOptions(), .server)
    for _ in 0..<3 {
      var pair = try Pair(client: client, server: server)
      pair.run()
      #expect(pair.clientProgress == .established)
    }
  }

  @Test("a later connection may judge the certificate at its own time") func laterTime() throws {
    let client = try World.context(World.clientOptions())
    var endpoint = try TLSEndpoint(client, wallTime: TestTime.days(4_000))
    var server = try TLSEndpoint(World.context(World.serverOptions(), .server))
    var progress = TLSEndpoint.Progress.handshaking
    for _ in 0..<5 {
      progress = endpoint.advance()
      server.receive(endpoint.drain(atMost: 10_000))
      _ = server.advance()
      endpoint.receive(server.drain(atMost: 10_000))
    }
    guard case .failed(let fault) = progress else {
      Issue.record("it must fail")
      return
    }
    #expect(fault.code == .tlsCertificateExpired)
  }

  @Test("random bytes instead of TLS end in a fault, never in a trap", arguments: 0..<64) func garbage(seed: Int) throws
  {
    var generator = SplitMix(state: UInt64(seed))
    var client = try TLSEndpoint(World.context(World.clientOptions()))
    _ = client.advance()
    var progress = TLSEndpoint.Progress.handshaking
    for _ in 0..<40 where progress == .handshaking {
      client.receive((0..<600).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
      progress = client.advance()
    }
    guard case .failed = progress else {
      Issue.record("still \(progress)")
      return
    }
  }

  @Test("any flipped byte of the server's flight ends in a fault", arguments: 0..<100) func flips(position: Int) throws
  {
    var pair = try Pair(
      client: World.context(World.clientOptions()), server: World.context(World.serverOptions(), .server))
    _ = pair.client.advance()
    pair.server.receive(pair.client.drain(atMost: 10_000))
    _ = pair.server.advance()
    var flight = pair.server.drain(atMost: 10_000)
    flight[(position * 7) % flight.count] ^= 0x10
    pair.client.receive(flight)
    pair.run()
    #expect(pair.clientProgress != .established || pair.serverProgress != .established)
  }
}

/// Random numbers from a seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
