package import Base
internal import Crypto
package import Wire

/// Wraps and unwraps control packets (protocol.md section 3).
///
/// Every transmission, repetitions too, is sealed anew: its packet id must be one that the peer has not seen.
package struct ControlWrap: ~Copyable {
  package enum Role: Hashable, Sendable {
    case client, server

    /// Half of the key that tls-crypt sends with.
    fileprivate var sendingIndex: Int { self == .client ? 1 : 0 }
  }

  /// No control packet is that long (section 1.5), so it is not worth a tag.
  package static let largestPacket = 4096
  /// The top byte tells a server that we know its request to repeat the wrapped key (section 2.5).
  private static let earlyNegotiationStart: UInt32 = 0x0f00_0000

  private let role: Role
  private let sending: DirectionKey
  private let receiving: DirectionKey
  private let wrappedKey: [UInt8]
  /// The last id sent. Its time is fixed, so that a step of the clock never makes it older (section 16, trap 50).
  private var lastID: LongPacketID
  private var window: TimedReplayWindow
  /// The session id that we seal with.
  private var ownSession: SessionID?

  /// - Parameters:
  ///   - wallTime: about the time of the first packet.
  ///   - replayWindow: of the option `replay-window`.
  package init(_ key: WrapKey, role: Role, wallTime: WallTime, replayWindow: Int = 64) {
    self.role = role
    var start: UInt32 = 0
    var wrapped: [UInt8] = []
    switch key {
    case .none:
      sending = .plain
      receiving = .plain
    case .tlsAuth(let key, let digest, let direction):
      sending = .auth(TLSAuthKey(key, digest, index: direction ?? 0))
      receiving = .auth(TLSAuthKey(key, digest, index: direction.map { 1 - $0 } ?? 0))
    case .tlsCrypt(let key):
      sending = .crypt(TLSCryptKeys(key, index: role.sendingIndex))
      receiving = .crypt(TLSCryptKeys(key, index: 1 - role.sendingIndex))
    case .tlsCryptV2(let key, let bytes):
      sending = .crypt(TLSCryptKeys(key, index: role.sendingIndex))
      receiving = .crypt(TLSCryptKeys(key, index: 1 - role.sendingIndex))
      wrapped = bytes
      if role == .client { start = Self.earlyNegotiationStart }
    }
    wrappedKey = wrapped
    lastID = LongPacketID(counter: start, time: UInt32(clamping: wallTime.seconds))
    window = TimedReplayWindow(size: replayWindow)
  }

  /// The wrap of all key ids above 0 where the server pushed `dyn-tls-crypt` (section 3.5).
  ///
  /// - Parameters:
  ///   - exported: 256 bytes from the TLS connection of key id 0.
  ///   - key: what wraps key id 0; its bytes are mixed in.
  package static func dynamic(
    exported: SecretBytes, over key: WrapKey, role: Role, wallTime: WallTime, replayWindow: Int = 64
  ) -> ControlWrap {
    precondition(exported.count == KeyBlock.size)
    var mixed = exported.exposed
    defer { mixed.wipe() }
    let below: StaticKey? =
      switch key {
      case .none: nil
      case .tlsAuth(let key, _, _), .tlsCrypt(let key), .tlsCryptV2(let key, _): key
      }
    if var bytes = below?.bytes.exposed {
      for index in bytes.indices { mixed[index] ^= bytes[index] }
      bytes.wipe()
    }
    guard let key = StaticKey(bytes: SecretBytes(mixed)) else { preconditionFailure("a key block is 256 bytes") }
    return ControlWrap(.tlsCrypt(key), role: role, wallTime: wallTime, replayWindow: replayWindow)
  }

  /// Bytes that a packet grows by, the wrapped client key not counted.
  package var overhead: Int { sending.overhead }

  /// Wraps a packet for one transmission, with the wrapped client key behind the two opcodes that carry it.
  package mutating func seal(_ packet: ControlPacket) -> [UInt8] {
    ownSession = packet.sessionID
    let sealed = sending.seal(head: packet.head, id: nextID(), body: packet.body)
    return packet.opcode.carriesWrappedKey ? sealed + wrappedKey : sealed
  }

  /// Authenticates, checks for a replay, and only then reads.
  package mutating func open(_ bytes: [UInt8]) -> Result<ControlPacket, ControlDrop> {
    guard let first = bytes.first else { return .failure(.tooShort) }
    guard bytes.count <= Self.largestPacket else { return .failure(.tooLarge) }
    guard let opcode = PacketHead(byte: first)?.opcode, isReceivable(opcode) else { return .failure(.unknownOpcode) }
    var bytes = bytes
    if opcode.carriesWrappedKey {
      guard let wrapped = WrappedClientKey.trailing(bytes) else { return .failure(.tooShort) }
      bytes.removeLast(wrapped.count)
    }
    guard bytes.count > ControlPacket.headSize + overhead else { return .failure(.tooShort) }
    if receiving.isPlain { return ControlPacket.parse(bytes) }
    let opened = receiving.open(bytes, headSize: ControlPacket.headSize)
    guard let opened else { return .failure(.badTag) }
    // Without a key-direction our own packets authenticate too. Thrown back at us, one with a clock ahead of the
    // server's would make replays of everything the server says.
    if let ownSession, bytes[1..<ControlPacket.headSize].elementsEqual(ownSession.bytes) {
      return .failure(.wrongPeerSession)
    }
    guard window.accept(opened.id) else { return .failure(.replayed) }
    return ControlPacket.parse(head: bytes.prefix(ControlPacket.headSize), body: opened.body)
  }

  /// After the last counter a new run begins, which needs a newer time (section 3.1).
  private mutating func nextID() -> LongPacketID {
    if lastID.counter == .max { lastID = LongPacketID(counter: 0, time: lastID.time &+ 1) }
    lastID.counter += 1
    return lastID
  }

  private func isReceivable(_ opcode: Opcode) -> Bool {
    switch opcode {
    case .dataV1, .dataV2: false
    case .softResetV1, .controlV1, .ackV1: true
    case .hardResetServerV2: role == .client
    case .hardResetClientV2: role == .server
    case .hardResetClientV3, .controlWKCV1: role == .server && !wrappedKey.isEmpty
    }
  }
}

extension Opcode {
  /// The packets that the wrapped client key of tls-crypt-v2 stands behind.
  var carriesWrappedKey: Bool { self == .hardResetClientV3 || self == .controlWKCV1 }
}
