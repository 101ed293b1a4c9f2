import Base
import Crypto
import DataChannel
import TestKit
import Testing
import Wire

@Suite("Data channels of the real openvpn")
struct RecordedDataTests {
  /// What became of every packet of one side, each of which must be good exactly once.
  private struct Outcome {
    var forwarded: [[UInt8]] = []
    var pings = 0
    var sawExit = false
  }

  private func open(_ recording: Recording, from side: Recording.Side, by role: DataRole) throws -> Outcome {
    var lane = try recording.down(role)
    var outcome = Outcome()
    for bytes in try recording.packets("data", side) {
      var altered = bytes
      altered[bytes.count - 1] ^= 1
      let forged = lane.verdict(altered)
      #expect(forged.verdict == .dropped)
      let result = lane.verdict(bytes)
      switch result.verdict {
      case .forward: outcome.forwarded.append(result.bytes)
      case .consumed: outcome.pings += 1
      default: Issue.record("a genuine packet was \(result.verdict)")
      }
      let before = lane.counters[.replayed]
      let again = lane.verdict(bytes)
      let counted = lane.counters[.replayed] - before
      #expect(again.verdict == .dropped && counted == 1)
    }
    let count = try UInt64(recording.packets("data", side).count)
    let counters = lane.counters
    #expect(counters[.badTag] == count && counters[.replayed] == count && counters.dropped == 2 * count)
    outcome.sawExit = lane.sawExit
    return outcome
  }

  @Test("Every packet of the server gives what went into its tun device", arguments: Recording.Name.withData)
  func server(_ name: Recording.Name) throws {
    let recording = try Recording(name)
    let outcome = try open(recording, from: .server, by: .client)
    #expect(try outcome.forwarded == recording.packets("inner", .server))
    #expect(outcome.forwarded.count >= 3)
    #expect(outcome.pings >= 1 && !outcome.sawExit)
  }

  @Test("What we sent is what came out of the server's tun device", arguments: Recording.Name.withData)
  func client(_ name: Recording.Name) throws {
    let recording = try Recording(name)
    let outcome = try open(recording, from: .client, by: .server)
    #expect(try outcome.forwarded == recording.packets("inner", .client))
    // One ping and the goodbye.
    #expect(outcome.pings == 2 && outcome.sawExit)
  }

  @Test("A server of ours would have sealed the same bytes", arguments: Recording.Name.repeatable)
  func sealing(_ name: Recording.Name) throws {
    let recording = try Recording(name)
    let keys = try recording.keys(.server)
    var down = try recording.down(.client)
    let headerSize = try recording.peerID() == nil ? 1 : 4
    for bytes in try recording.packets("data", .server) {
      let inner = down.verdict(bytes)
      let keyID = try #require(PacketHead(byte: bytes[0])).keyID
      let id = bytes[headerSize..<headerSize + 4].reduce(0) { $0 << 8 | UInt32($1) }
      let key = try #require(keys.first { $0.keyID == keyID })
      var up = UpLane(format: try recording.format(), random: .seeded(1))
      let installed = up.install(key, firstPacketID: id)
      #expect(installed)
      up.send(with: keyID)
      let sealed = up.seal(message: inner.verdict == .consumed ? DataMessage.ping : inner.bytes)
      #expect(sealed == bytes)
    }
  }

  @Test("The server did compress", arguments: Recording.Name.compressed)
  func compression(_ name: Recording.Name) throws {
    let recording = try Recording(name)
    let sealed = try recording.packets("data", .server)
    let longest = try recording.packets("inner", .server).map(\.count).max() ?? 0
    #expect(sealed.allSatisfy { $0.count < longest })
  }

  @Test("A stub lets nothing compressed in", arguments: [Recording.Name.lz4v2, .lz4])
  func stubs(_ name: Recording.Name) throws {
    let recording = try Recording(name)
    var format = try recording.format()
    format.compression = format.compression == .lz4V2 ? .stubV2 : .stub
    var lane = DownLane(format: format)
    for key in try recording.keys(.client) { _ = lane.install(key) }
    for bytes in try recording.packets("data", .server) { _ = lane.verdict(bytes) }
    let counters = lane.counters
    #expect(counters[.badCompression] == 1 && counters.packets == 2)
  }
}

extension DownLane {
  /// Opens one datagram, with room to unpack.
  fileprivate mutating func verdict(_ datagram: [UInt8]) -> (verdict: Burst.Verdict, bytes: [UInt8]) {
    var burst = Burst(capacity: 8192, maximumCount: 1)
    _ = burst.append(copying: datagram)
    open(&burst)
    return (burst[0].verdict, burst.copy(0))
  }
}
