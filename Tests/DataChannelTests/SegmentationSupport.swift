import Base
import DataChannel
import Testing

/// Two lanes that face each other.
final class LanePair {
  var up: UpLane
  var down: DownLane
  /// Bytes in front of each sealed packet that the opening lane does not want.
  let front: Int
  /// Packets that came out again, in order.
  var opened: [[UInt8]] = []
  /// Calls of `seal` that found no room.
  var refusals = 0

  init(
    _ suite: Suite = Suite(.aes256GCM), usesEpochs: Bool = false, compression: CompressionFraming = .none,
    isStream: Bool = false
  ) {
    let format = DataFormat(
      peerID: 5, usesEpochs: usesEpochs, compression: compression, isStream: isStream, largestPayload: 65_535)
    up = makeUp(suite, .client, format: format)
    down = makeDown(suite, .server, format: format)
    front = isStream ? 2 : 0
  }

  /// One of each kind that seals in its own way.
  static func all() -> [LanePair] {
    [
      LanePair(), LanePair(Suite(.chacha20Poly1305), isStream: true), LanePair(Suite(.aes256CBC, .sha256)),
      LanePair(Suite(.aes128GCM), usesEpochs: true), LanePair(Suite(.aes128GCM), compression: .stub),
    ]
  }

  /// Sends the packets through both lanes, with as many calls as the room for sealed ones asks for.
  ///
  /// - Returns: false when a call with an empty burst came no further.
  func pass(_ packets: inout Burst, sealedRoom: Int, sealedCount: Int) -> Bool {
    opened = []
    refusals = 0
    var sealed = Burst(capacity: sealedRoom, maximumCount: sealedCount)
    while true {
      sealed.reset()
      let isDone = up.seal(&packets, into: &sealed)
      if !isDone {
        guard !sealed.isEmpty else { return false }
        refusals += 1
      }
      for index in 0..<sealed.count {
        sealed[index].offset += Int32(front)
        sealed[index].length -= Int32(front)
        sealed[index].verdict = .fresh
      }
      down.open(&sealed)
      for index in 0..<sealed.count where sealed[index].verdict == .forward { opened.append(sealed.copy(index)) }
      if isDone { return true }
    }
  }
}

extension Burst {
  /// Lists a packet as a tun with vnet headers fills it in.
  mutating func append(_ bytes: [UInt8], vnet: [UInt8]) -> Bool {
    guard append(copying: bytes) else { return false }
    let index = count - 1
    self[index].hasVnetHeader = true
    let start = base + Int(self[index].offset) - VnetHeader.size
    UnsafeMutableRawBufferPointer(start: start, count: VnetHeader.size).copyBytes(from: vnet)
    return true
  }

  mutating func append(_ bytes: [UInt8], header: VnetHeader) -> Bool { append(bytes, vnet: header.bytes) }

  /// Bytes that no packet owns must stay as they were: what lies in the arena around the packets listed.
  func outside() -> [UInt8] {
    var bytes = [UInt8](UnsafeRawBufferPointer(start: base, count: min(used + 4096, arena.capacity)))
    bytes.withUnsafeMutableBytes { bytes in
      for index in 0..<count {
        let packet = self[index]
        let lies = Int(packet.offset)..<Int(packet.offset + packet.length)
        bytes[lies].initializeMemory(as: UInt8.self, repeating: 0)
      }
    }
    return bytes
  }

  mutating func scrub() {
    reset()
    UnsafeMutableRawBufferPointer(start: base, count: arena.capacity).initializeMemory(as: UInt8.self, repeating: 0xa5)
  }
}

extension VnetHeader {
  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.size)
    bytes.withUnsafeMutableBytes { write(into: $0.baseAddress.unsafelyUnwrapped) }
    return bytes
  }
}
