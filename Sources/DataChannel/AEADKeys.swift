internal import Base
internal import Crypto
internal import Wire

/// Where the parts of a sealed AEAD packet lie, from its packet id on: `pid ‖ tag ‖ ciphertext` (section 8.2).
enum AEADLayout {
  static let tag = PacketID.size
  static let body = PacketID.size + AEADContext.tagSize
}

/// Seals the packets of one key id.
struct AEADSendKey: ~Copyable {
  let cipher: DataCipher
  /// The id of the next packet; beyond 32 bits when they are used up.
  private(set) var nextID: UInt64
  private(set) var usage: KeyUsage
  private var context: AEADContext
  private let nonce: NonceBuffer

  init?(_ key: DataKey, firstID: UInt32, usage: KeyUsage) {
    guard let context = makeAEAD(key, .seal) else { return nil }
    self.context = context
    nonce = NonceBuffer(tail: key.hmacKey(.seal, count: AEADContext.nonceSize - PacketID.size))
    cipher = key.cipher
    nextID = UInt64(firstID)
    self.usage = usage
  }

  /// Seals behind a header that is written already.
  ///
  /// - Parameters:
  ///   - header: where the packet begins; the additional data are header and id, or with DATA_V1 the id alone.
  ///   - plain: `count` bytes; they may lie where the ciphertext goes.
  mutating func seal(
    _ plain: UnsafeRawPointer, count: Int, header: UnsafeMutableRawPointer, headerSize: Int
  ) -> DataDrop? {
    guard let id = UInt32(exactly: nextID) else { return .wrapExhausted }
    let start = unsafe header + headerSize
    unsafe start.storeBytes(of: id.bigEndian, as: UInt32.self)
    unsafe nonce.set(id: start)
    let covered = headerSize == 1 ? 0 : headerSize
    let sealed = unsafe context.seal(
      nonce: nonce.bytes, aad: start - covered, aadCount: covered + PacketID.size, from: plain, count: count,
      into: start + AEADLayout.body, tag: start + AEADLayout.tag)
    nextID += 1
    guard sealed else { return .cipherFailed }
    usage.count(bytes: count)
    return nil
  }
}

/// Opens the packets of one key id.
struct AEADReceiveKey: ~Copyable {
  let cipher: DataCipher
  private(set) var usage: KeyUsage
  private var context: AEADContext
  private let nonce: NonceBuffer
  private var window: ReplayWindow

  init?(_ key: DataKey, window size: Int, usage: KeyUsage) {
    guard let context = makeAEAD(key, .open) else { return nil }
    self.context = context
    nonce = NonceBuffer(tail: key.hmacKey(.open, count: AEADContext.nonceSize - PacketID.size))
    cipher = key.cipher
    window = ReplayWindow(size: size)
    self.usage = usage
  }

  /// What is missing by now has had its time.
  mutating func age() { window.age() }

  /// Opens in place.
  ///
  /// The id is looked up before the costly part, but enters the window only after the tag was good, so a forger can
  /// neither cost us much nor move the window.
  mutating func open(_ packet: UnsafeMutableRawPointer, count: Int, headerSize: Int) -> Opened {
    let start = unsafe packet + headerSize
    let length = count - headerSize - AEADLayout.body
    guard length > 0 else { return Opened(.tooShort) }
    guard usage.failures < KeyUsage.failureLimit else { return Opened(.forgeryLimit) }
    let id = unsafe UInt64(PacketID.read(start))
    guard window.wouldAccept(id) else { return Opened(.replayed) }
    unsafe nonce.set(id: start)
    let body = unsafe start + AEADLayout.body
    let covered = headerSize == 1 ? 0 : headerSize
    let good = unsafe context.open(
      nonce: nonce.bytes, aad: start - covered, aadCount: covered + PacketID.size, from: body, count: length,
      into: body, tag: start + AEADLayout.tag)
    guard good else {
      usage.failures &+= 1
      return Opened(.badTag)
    }
    guard window.accept(id) else { return Opened(.replayed) }
    usage.count(bytes: length)
    return Opened(offset: headerSize + AEADLayout.body, count: length)
  }
}

/// The outcome of opening: where in the packet the payload lies, or why there is none.
struct Opened {
  var drop: DataDrop?
  var offset = 0
  var count = 0

  init(_ drop: DataDrop) { self.drop = drop }

  init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }
}

private func makeAEAD(_ key: DataKey, _ direction: CipherDirection) -> AEADContext? {
  AEADContext(cipher: key.cipher, key: key.cipherKey(direction), direction: direction)
}
