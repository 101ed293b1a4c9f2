internal import Base
internal import ControlChannel
internal import Profile

/// Bytes of TLS that one control packet may carry (protocol.md section 1.5).
struct PayloadRoom {
  /// More never pays and old servers' buffers end near 1200.
  private static let most = 1100
  /// A handshake must be able to go on whatever `max-packet-size` says.
  private static let least = 64

  let plain: Int
  /// In the packet that also carries the wrapped client key.
  let besideWrappedKey: Int

  init(_ setup: SessionSetup, wrap: WrapKey, overhead: Int) {
    let ip = setup.outerFamily == .ipv4 ? 20 : 40
    let transport = setup.remote.transport == .udp ? 8 : 20 + 2
    // Opcode, session id, four acknowledgements with the peer's session id, message id.
    let head = 1 + 8 + 1 + 4 * 4 + 8 + 4
    let free = setup.remote.maximumControlPacket - ip - transport - head - overhead
    plain = min(max(free, Self.least), Self.most)
    besideWrappedKey = min(max(free - wrap.wrappedKeySize, Self.least), Self.most)
  }
}
