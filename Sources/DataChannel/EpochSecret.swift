internal import Base
internal import Crypto

/// The secret of one epoch of one direction; each gives the next, and none can be had back (protocol.md section 8.3).
struct EpochSecret {
  static let size = 32
  /// The last epoch whose packets a receiver takes: the epochs behind it are reached by none.
  static let last: UInt16 = .max - UInt16(EpochReceiveKey.futures) - 1

  private(set) var epoch: UInt16 = 1
  private var secret: SecretBytes

  init(first secret: SecretBytes) {
    precondition(secret.count == Self.size)
    self.secret = secret
  }

  var next: EpochSecret {
    precondition(epoch < .max)
    var copy = self
    copy.epoch += 1
    copy.secret = expand("datakey upd", Self.size)
    return copy
  }

  func keys(_ cipher: DataCipher) -> EpochKeys {
    EpochKeys(
      epoch: epoch, cipherKey: expand("data_key", cipher.keyLength), iv: expand("data_iv", AEADContext.nonceSize))
  }

  private func expand(_ label: String, _ count: Int) -> SecretBytes {
    let name = Array("ovpn \(label)".utf8)
    let info = [UInt8(count >> 8), UInt8(count & 255), UInt8(name.count)] + name + [0]
    return HKDF.expand(.sha256, secret: secret, info: info, count: count)
  }
}

/// What the packets of one epoch are sealed with.
struct EpochKeys {
  var epoch: UInt16
  var cipherKey: SecretBytes
  /// 12 bytes, over which epoch and counter are laid.
  var iv: SecretBytes
}

/// Where the parts of a packet of the epoch format lie, from its id on: `epoch ‖ counter ‖ ciphertext ‖ tag`.
enum EpochLayout {
  static let id = 8
  static let added = id + AEADContext.tagSize
  /// Counters have 48 bits; beyond them the next epoch begins.
  static let lastCounter: UInt64 = (1 << 48) - 1

  static func id(epoch: UInt16, counter: UInt64) -> UInt64 { UInt64(epoch) << 48 | counter }
}

/// The 12 bytes of a nonce: a packet's id in front of four zeros, over the IV of its epoch.
@safe struct EpochNonce: ~Copyable {
  let bytes: UnsafeMutableRawPointer
  /// The first eight bytes of the IV, as they stand in memory.
  private var mask: UInt64 = 0

  init() {
    unsafe bytes = .allocate(byteCount: AEADContext.nonceSize, alignment: 8)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: AEADContext.nonceSize)
  }

  deinit {
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: AEADContext.nonceSize)
    unsafe bytes.deallocate()
  }

  mutating func take(iv: SecretBytes) {
    precondition(iv.count == AEADContext.nonceSize)
    unsafe iv.withBytes { iv in
      unsafe UnsafeMutableRawBufferPointer(start: bytes, count: iv.count).copyMemory(from: iv)
    }
    mask = unsafe bytes.load(as: UInt64.self)
  }

  /// - Parameter id: as it stands in the packet.
  func set(id: UnsafeRawPointer) {
    unsafe bytes.storeBytes(of: id.loadUnaligned(as: UInt64.self) ^ mask, as: UInt64.self)
  }
}
