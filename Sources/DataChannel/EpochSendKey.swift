internal import Base
internal import Crypto

/// Seals the packets of one key id in the epoch format (protocol.md section 8.3).
struct EpochSendKey: ~Copyable {
  /// From this epoch on new keys of TLS are asked for, long before the epochs end.
  static let warning: UInt16 = 0xf000

  let cipher: DataCipher
  /// Of all epochs.
  private(set) var usage = KeyUsage()
  private var ofEpoch = KeyUsage()
  private var secret: EpochSecret
  private var context: AEADContext
  private var nonce = EpochNonce()
  private var nextCounter: UInt64
  /// OpenSSL did not take a key: nothing may be sealed with what it has now.
  private var isBroken = false

  init?(_ key: DataKey, firstCounter: UInt64) {
    let first = EpochSecret(first: key.epochSecret(.seal))
    let keys = first.keys(key.cipher)
    guard let context = AEADContext(cipher: key.cipher, key: keys.cipherKey, direction: .seal) else { return nil }
    self.context = context
    nonce.take(iv: keys.iv)
    secret = first
    cipher = key.cipher
    nextCounter = firstCounter
  }

  var epoch: UInt16 { secret.epoch }
  var needsNewKey: Bool { epoch >= Self.warning }

  /// Goes on to that epoch, or stays where that is behind; counters begin anew there.
  ///
  /// - Returns: false when there is no such epoch, or OpenSSL failed.
  mutating func reach(_ wanted: UInt16) -> Bool {
    guard wanted > epoch else { return true }
    guard wanted <= EpochSecret.last else { return false }
    while epoch < wanted { secret = secret.next }
    let keys = secret.keys(cipher)
    ofEpoch = KeyUsage()
    nextCounter = 1
    nonce.take(iv: keys.iv)
    isBroken = !context.rekey(keys.cipherKey)
    return !isBroken
  }

  /// Seals behind a header that is written already; that and the id are the additional data.
  ///
  /// - Parameter plain: `count` bytes; they may lie where the ciphertext goes.
  mutating func seal(
    _ plain: UnsafeRawPointer, count: Int, header: UnsafeMutableRawPointer, headerSize: Int
  ) -> DataDrop? {
    guard !isBroken else { return .cipherFailed }
    if nextCounter > EpochLayout.lastCounter || ofEpoch.isUsedUp(cipher) {
      guard epoch < EpochSecret.last, reach(epoch + 1) else { return .wrapExhausted }
    }
    let start = unsafe header + headerSize
    unsafe start.storeBytes(of: EpochLayout.id(epoch: epoch, counter: nextCounter).bigEndian, as: UInt64.self)
    unsafe nonce.set(id: start)
    let body = unsafe start + EpochLayout.id
    let sealed = unsafe context.seal(
      nonce: nonce.bytes, aad: header, aadCount: headerSize + EpochLayout.id, from: plain, count: count, into: body,
      tag: body + count)
    nextCounter += 1
    guard sealed else { return .cipherFailed }
    usage.count(bytes: count)
    ofEpoch.count(bytes: count)
    return nil
  }
}
