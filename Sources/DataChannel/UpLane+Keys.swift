internal import Base
internal import Crypto

extension UpLane {
  /// Readies a key, replacing one of the same id; it seals only after `send(with:)`.
  ///
  /// - Parameters:
  ///   - firstPacketID: the id of its next packet.
  ///   - usage: what it has sealed already.
  /// - Returns: false for keys that must not be used: of zeros, CBC without a digest, or one that was here before: its
  ///   packet ids, and so its nonces, would begin anew.
  package mutating func install(_ key: DataKey, firstPacketID: UInt32 = 1, usage: KeyUsage = KeyUsage()) -> Bool {
    guard key.isUsable else { return false }
    var bytes = key.block.exposed
    let digest = digestOf(.sha256, bytes)
    bytes.wipe()
    guard !used.contains(digest) else { return false }
    if !key.cipher.isAEAD {
      guard let made = BlockSendKey(key, firstID: firstPacketID, usage: usage) else { return false }
      forget(key.keyID)
      block.install(made, at: key.keyID)
    } else if format.usesEpochs {
      guard let made = EpochSendKey(key, firstCounter: UInt64(firstPacketID)) else { return false }
      forget(key.keyID)
      epochs.install(made, at: key.keyID)
    } else {
      guard let made = AEADSendKey(key, firstID: firstPacketID, usage: usage) else { return false }
      forget(key.keyID)
      aead.install(made, at: key.keyID)
    }
    used = (used + [digest]).suffix(Self.mostUsed)
    return true
  }

  /// From now on this key seals; it must be installed.
  package mutating func send(with keyID: UInt8) {
    precondition(has(keyID))
    sender = keyID
  }

  package mutating func retire(keyID: UInt8) {
    forget(keyID)
    if sender == keyID { sender = nil }
  }

  private func has(_ keyID: UInt8) -> Bool { aead.has(keyID) || epochs.has(keyID) || block.has(keyID) }

  private mutating func forget(_ keyID: UInt8) {
    aead.remove(keyID)
    epochs.remove(keyID)
    block.remove(keyID)
  }

  package func usage(of keyID: UInt8) -> KeyUsage? {
    if aead.has(keyID) { return unsafe aead.at(keyID).pointee.usage }
    if epochs.has(keyID) { return unsafe epochs.at(keyID).pointee.usage }
    if block.has(keyID) { return unsafe block.at(keyID).pointee.usage }
    return nil
  }

  /// The epoch in which this key seals; `nil` where the format has none.
  package func epoch(of keyID: UInt8) -> UInt16? {
    epochs.has(keyID) ? unsafe epochs.at(keyID).pointee.epoch : nil
  }

  /// Seals in that epoch from now on, or stays in a later one: where the peer has gone, we follow.
  package mutating func reach(epoch: UInt16, keyID: UInt8) {
    guard epochs.has(keyID) else { return }
    _ = unsafe epochs.at(keyID).pointee.reach(epoch)
  }

  package func packetsSent(_ keyID: UInt8) -> UInt64 { usage(of: keyID)?.packets ?? 0 }

  /// True when the key that seals should be replaced: its ids or its cipher's limits run out.
  package var needsNewKey: Bool {
    guard let sender else { return false }
    if epochs.has(sender) { return unsafe epochs.at(sender).pointee.needsNewKey }
    if aead.has(sender) {
      let isLate = unsafe aead.at(sender).pointee.nextID > UInt64(KeyUsage.packetIDWarning)
      return unsafe isLate || aead.at(sender).pointee.usage.isWorn(aead.at(sender).pointee.cipher)
    }
    return unsafe block.has(sender) && block.at(sender).pointee.nextID > UInt64(KeyUsage.packetIDWarning)
  }
}
