/// One key per key id. Keys stay where they are once installed, so a packet's key is used in place.
@safe struct KeySlots<Key: ~Copyable>: ~Copyable {
  private let keys: UnsafeMutablePointer<Key>
  private var present: UInt8 = 0
  static var count: Int { 8 }

  init() { unsafe keys = .allocate(capacity: Self.count) }

  deinit {
    for id in 0..<UInt8(Self.count) where present & 1 << id != 0 {
      unsafe (keys + Int(id)).deinitialize(count: 1)
    }
    unsafe keys.deallocate()
  }

  func has(_ id: UInt8) -> Bool { id < 8 && present & 1 << id != 0 }

  mutating func install(_ key: consuming Key, at id: UInt8) {
    precondition(id < 8)
    remove(id)
    unsafe (keys + Int(id)).initialize(to: key)
    present |= 1 << id
  }

  mutating func remove(_ id: UInt8) {
    guard has(id) else { return }
    unsafe (keys + Int(id)).deinitialize(count: 1)
    present &= ~(1 << id)
  }

  /// Where the key lies; only for an id that `has`.
  func at(_ id: UInt8) -> UnsafeMutablePointer<Key> {
    precondition(has(id))
    return unsafe keys + Int(id)
  }
}
