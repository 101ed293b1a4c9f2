internal import Base
internal import Crypto
internal import Wire

/// What one direction is wrapped with.
enum DirectionKey: ~Copyable {
  case plain
  case auth(TLSAuthKey)
  case crypt(TLSCryptKeys)

  var isPlain: Bool {
    switch self {
    case .plain: true
    default: false
    }
  }

  /// Bytes that a packet grows by.
  var overhead: Int {
    switch self {
    case .plain: 0
    case .auth(let key): key.overhead
    case .crypt: TLSCryptKeys.overhead
    }
  }

  func seal(head: [UInt8], id: LongPacketID, body: [UInt8]) -> [UInt8] {
    switch self {
    case .plain: head + body
    case .auth(let key): key.seal(head: head, id: id, body: body)
    case .crypt(let keys): keys.seal(head: head, id: id, body: body)
    }
  }

  /// - Returns: `nil` when the packet does not authenticate, as nothing does without a key.
  func open(_ bytes: [UInt8], headSize: Int) -> (id: LongPacketID, body: [UInt8])? {
    switch self {
    case .plain: nil
    case .auth(let key): key.open(bytes, headSize: headSize)
    case .crypt(let keys): keys.open(bytes, headSize: headSize)
    }
  }
}

/// tls-auth for one direction (protocol.md section 3.2): a tag in front of the packet id, nothing encrypted.
struct TLSAuthKey: ~Copyable {
  private let authenticator: MessageAuthenticator

  init(_ key: StaticKey, _ digest: Digest, index: Int) {
    authenticator = MessageAuthenticator(digest, key: key.slice(index, .hmac, count: digest.size))
  }

  /// Bytes that a packet grows by.
  var overhead: Int { authenticator.size + LongPacketID.size }

  /// The tag covers the parts in another order than the wire carries them.
  func seal(head: [UInt8], id: LongPacketID, body: [UInt8]) -> [UInt8] {
    head + authenticator.tag(of: [id.bytes, head, body]) + id.bytes + body
  }

  func open(_ bytes: [UInt8], headSize: Int) -> (id: LongPacketID, body: [UInt8])? {
    let idStart = headSize + authenticator.size
    let idEnd = idStart + LongPacketID.size
    guard bytes.count >= idEnd, let id = LongPacketID(bytes: bytes[idStart..<idEnd]) else { return nil }
    let body = Array(bytes[idEnd...])
    let tag = authenticator.tag(of: [id.bytes, Array(bytes[..<headSize]), body])
    return constantTimeEqual(tag, bytes[headSize..<idStart]) ? (id, body) : nil
  }
}

extension LongPacketID {
  init?(bytes: some Collection<UInt8>) {
    var reader = ByteReader(Array(bytes))
    guard let counter = reader.readUInt32(), let time = reader.readUInt32() else { return nil }
    self.init(counter: counter, time: time)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: counter)
    bytes.append(bigEndian: time)
    return bytes
  }
}
