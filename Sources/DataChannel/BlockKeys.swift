internal import Base
internal import Crypto
internal import Wire

/// Where the parts of a sealed CBC packet lie, from behind the header on: `HMAC ‖ IV ‖ CBC(pid ‖ payload)`; the HMAC
/// covers IV and ciphertext, not the header (section 8.4).
enum BlockLayout {
  static func iv(_ digest: Digest) -> Int { digest.size }
  static func body(_ digest: Digest) -> Int { digest.size + BlockCipherContext.blockSize }
}

/// Seals the packets of one key id with AES-CBC and HMAC.
struct BlockSendKey: ~Copyable {
  let digest: Digest
  /// The id of the next packet; beyond 32 bits when they are used up.
  private(set) var nextID: UInt64
  private(set) var usage: KeyUsage
  private var context: BlockCipherContext
  private let authenticator: MessageAuthenticator

  init?(_ key: DataKey, firstID: UInt32, usage: KeyUsage) {
    guard let digest = key.auth, let context = makeCBC(key, .seal) else { return nil }
    self.digest = digest
    self.context = context
    authenticator = MessageAuthenticator(digest, key: key.hmacKey(.seal, count: digest.size))
    nextID = UInt64(firstID)
    self.usage = usage
  }

  /// Where the caller must have put the plain payload, from the packet's first byte.
  func payloadOffset(headerSize: Int) -> Int { headerSize + BlockLayout.body(digest) + PacketID.size }

  /// Bytes of the sealed packet behind its header.
  func sealedSize(_ count: Int) -> Int {
    BlockLayout.body(digest) + BlockCipherContext.sealedCount(PacketID.size + count)
  }

  /// Bytes of the longest payload that seals to no more than this behind the header.
  func payloadRoom(_ size: Int) -> Int {
    let block = BlockCipherContext.blockSize
    return (size - BlockLayout.body(digest)) / block * block - 1 - PacketID.size
  }

  /// Seals in place a payload of `count` bytes that lies at `payloadOffset`.
  mutating func seal(
    count: Int, header: UnsafeMutableRawPointer, headerSize: Int, pool: inout IVPool
  ) -> DataDrop? {
    guard let id = UInt32(exactly: nextID) else { return .wrapExhausted }
    let start = unsafe header + headerSize
    let iv = unsafe start + BlockLayout.iv(digest)
    let body = unsafe start + BlockLayout.body(digest)
    unsafe body.storeBytes(of: id.bigEndian, as: UInt32.self)
    unsafe pool.take(into: iv)
    let sealed = unsafe context.seal(iv: iv, from: body, count: PacketID.size + count, into: body)
    nextID += 1
    guard sealed else { return .cipherFailed }
    let covered = BlockCipherContext.blockSize + BlockCipherContext.sealedCount(PacketID.size + count)
    unsafe authenticator.authenticate(iv, count: covered, into: start)
    usage.count(bytes: count)
    return nil
  }
}

/// Opens the packets of one key id with AES-CBC and HMAC.
@safe struct BlockReceiveKey: ~Copyable {
  let digest: Digest
  private(set) var usage: KeyUsage
  private var context: BlockCipherContext
  private let authenticator: MessageAuthenticator
  private var window: ReplayWindow
  private let tag: UnsafeMutableRawPointer

  init?(_ key: DataKey, window size: Int, usage: KeyUsage) {
    guard let digest = key.auth, let context = makeCBC(key, .open) else { return nil }
    self.digest = digest
    self.context = context
    authenticator = MessageAuthenticator(digest, key: key.hmacKey(.open, count: digest.size))
    window = ReplayWindow(size: size)
    self.usage = usage
    unsafe tag = .allocate(byteCount: digest.size, alignment: 8)
  }

  deinit { unsafe tag.deallocate() }

  /// What is missing by now has had its time.
  mutating func age() { window.age() }

  /// Opens in place. The id is encrypted here, so a replay is only seen after authentication.
  mutating func open(_ packet: UnsafeMutableRawPointer, count: Int, headerSize: Int) -> Opened {
    let bodyOffset = headerSize + BlockLayout.body(digest)
    let length = count - bodyOffset
    guard length > 0, length % BlockCipherContext.blockSize == 0 else { return Opened(.tooShort) }
    let start = unsafe packet + headerSize
    let iv = unsafe start + BlockLayout.iv(digest)
    let body = unsafe packet + bodyOffset
    unsafe authenticator.authenticate(iv, count: BlockCipherContext.blockSize + length, into: tag)
    guard unsafe constantTimeEqual(tag, start, count: digest.size) else {
      usage.failures &+= 1
      return Opened(.badTag)
    }
    let plain = unsafe context.open(iv: iv, from: body, count: length, into: body)
    guard plain >= PacketID.size else { return Opened(.badPadding) }
    guard unsafe window.accept(UInt64(PacketID.read(body))) else { return Opened(.replayed) }
    usage.count(bytes: plain - PacketID.size)
    return Opened(offset: bodyOffset + PacketID.size, count: plain - PacketID.size)
  }
}

private func makeCBC(_ key: DataKey, _ direction: CipherDirection) -> BlockCipherContext? {
  BlockCipherContext(cipher: key.cipher, key: key.cipherKey(direction), direction: direction)
}
