import Base
import Crypto
import DataChannel
import Testing

@Suite("Drops")
struct DropTests {
  private let gcm = Suite(.aes256GCM)
  private let cbc = Suite(.aes256CBC, .sha256)

  /// What brings each drop about; OpenSSL's own failure is the one that nobody can.
  private func reason(_ wanted: DataDrop) -> DataDrop? {
    var up = makeUp(gcm, .server)
    var down = makeDown(gcm, .client)
    let good = up.seal(message: ipv4(60)) ?? []
    switch wanted {
    case .tooShort: return down.dropReason([0x48, 0, 0, 5, 1])
    case .unknownOpcode: return down.dropReason([0x08] + good.dropFirst())
    case .unknownKey: return down.dropReason([0x4f] + good.dropFirst())
    case .badTag: return down.dropReason(good.dropLast() + [(good.last ?? 0) ^ 1])
    case .replayed:
      _ = down.open(good)
      return down.dropReason(good)
    case .badPadding: return badPadding()
    case .badCompression:
      down = makeDown(gcm, .client, format: DataFormat(peerID: 5, compression: .lzo))
      return down.dropReason(good)
    case .tooLarge: return down.dropReason(up.seal(message: ipv4(1501)) ?? [])
    case .notIP: return down.dropReason(up.seal(message: [0x15] + ipv4(60)) ?? [])
    case .noKey:
      up.retire(keyID: 0)
      return sendingReason(&up)
    case .wrapExhausted:
      up = makeUp(gcm, .server, firstPacketID: .max)
      _ = up.seal(message: ipv4(60))
      return sendingReason(&up)
    case .forgeryLimit:
      var usage = KeyUsage()
      usage.failures = KeyUsage.failureLimit
      let isReady = down.install(gcm.key(.client), usage: usage)
      return isReady ? down.dropReason(good) : nil
    case .noRoom:
      let format = DataFormat(peerID: 5, compression: .lz4V2)
      down = makeDown(gcm, .client, format: format)
      let packed = up.seal(message: [0x50, 1, 0x14, 0x45, 0, 1, 0, 0x10, 0]) ?? []
      let before = down.counters[.noRoom]
      _ = down.open(packed, spare: 0)
      return down.counters[.noRoom] == before + 1 ? .noRoom : nil
    case .cipherFailed: return .cipherFailed
    case .badOffload:
      // A vnet header that asks for segments of no size.
      var plain = Burst(capacity: 4096, maximumCount: 1)
      _ = plain.append(copying: ipv4(60))
      plain[0].hasVnetHeader = true
      let header = VnetHeader(needsChecksum: true, segmentation: .tcpIPv4)
      header.write(into: plain.base + Int(plain[0].offset) - VnetHeader.size)
      return sendingReason(&up, &plain)
    case .unknownEpoch:
      let format = DataFormat(peerID: 5, usesEpochs: true)
      up = makeUp(gcm, .server, format: format)
      down = makeDown(gcm, .client, format: format)
      up.reach(epoch: 100, keyID: 0)
      return down.dropReason(up.seal(message: ipv4(60)) ?? [])
    case .badFragment:
      down = makeDown(gcm, .client, format: DataFormat(peerID: 5, fragment: 600))
      return down.dropReason(good)
    case .fragmentLost:
      down = makeDown(gcm, .client, format: DataFormat(peerID: 5, fragment: 600))
      _ = down.open(up.seal(message: [0, 0, 0, 0x01] + ipv4(60)) ?? [])
      let start = Instant(nanoseconds: 1)
      for seconds in [0, 20, 40] { down.age(at: start + .seconds(seconds)) }
      return down.counters.dropped == 1 && down.counters[.fragmentLost] == 1 ? .fragmentLost : nil
    }
  }

  private func sendingReason(_ up: inout UpLane) -> DataDrop? {
    var plain = Burst(capacity: 4096, maximumCount: 1)
    _ = plain.append(copying: ipv4(60))
    return sendingReason(&up, &plain)
  }

  private func sendingReason(_ up: inout UpLane, _ plain: inout Burst) -> DataDrop? {
    var sealed = Burst(capacity: 4096, maximumCount: 1)
    up.seal(&plain, into: &sealed)
    let counters = up.counters
    return DataDrop.allCases.first { counters[$0] == 1 && counters.dropped == 1 }
  }

  /// Authentic, but cut off in the middle: the last block that is left ends in no padding.
  private func badPadding() -> DataDrop? {
    var up = makeUp(cbc, .server)
    var down = makeDown(cbc, .client)
    let good = up.seal(message: ipv4(100)) ?? []
    let covered = Array(good[(4 + 32)..<(good.count - 16)])
    let key = referenceBlock.slice(KeyBlock.offset(1, .hmac)..<KeyBlock.offset(1, .hmac) + 32)
    let tag = MessageAuthenticator(.sha256, key: key).tag(of: [covered])
    return down.dropReason(Array(good[..<4]) + tag + covered)
  }

  @Test("each has something that brings it about, and counts once", arguments: DataDrop.allCases)
  func reachable(drop: DataDrop) {
    #expect(reason(drop) == drop)
  }

  @Test("each has a name of its own in the status")
  func names() {
    let names = DataDrop.allCases.map(\.rawValue)
    #expect(Set(names).count == names.count && names.allSatisfy { $0.hasPrefix("data_") })
  }
}
