internal import CLinux

/// Bytes that nobody may print and that are wiped when the last owner lets go.
///
/// A class on purpose: values that hold a secret (a profile, a request) are copied freely, and every copy then shares
/// this one storage, so there is exactly one place to wipe.
@safe package final class SecretBytes: Sendable, CustomStringConvertible, CustomReflectable {
  /// Never written after `init`, so sharing it between threads is sound.
  nonisolated(unsafe) private let storage: UnsafeMutableRawBufferPointer

  /// Takes a copy; wipe your own, or hand over what is not needed afterwards with `init(wiping:)`.
  package init(_ bytes: some Collection<UInt8>) {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
    unsafe room.copyBytes(from: bytes)
    unsafe storage = UnsafeMutableRawBufferPointer(rebasing: room[0..<bytes.count])
  }

  package convenience init(wiping bytes: inout [UInt8]) {
    self.init(bytes)
    bytes.wipe()
  }

  deinit {
    if let base = unsafe storage.baseAddress {
      unsafe adit_wipe(base, storage.count)
      unsafe base.deallocate()
    }
  }

  package var count: Int { unsafe storage.count }
  package var isEmpty: Bool { count == 0 }

  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeRawBufferPointer(storage))
  }

  /// A copy outside the fence, for callers that must build a message; wipe it after use.
  package var exposed: [UInt8] { unsafe Array(storage) }

  /// Bytes of a sub-range as a secret of their own; the range is clamped.
  package func slice(_ range: Range<Int>) -> SecretBytes {
    let clamped = range.clamped(to: 0..<count)
    return unsafe SecretBytes(storage[clamped])
  }

  package var description: String { "••••" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes: Equatable {
  /// Constant time in the content; the length is no secret.
  package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<left.count { unsafe difference |= left.storage[index] ^ right.storage[index] }
    return difference == 0
  }
}

extension SecretBytes: Hashable {
  /// Only the length: a hash of the content would be a fingerprint of it.
  package func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension [UInt8] {
  /// Overwrites every byte with zero so that the compiler may not leave it out, and empties the array.
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { buffer in
      if let base = buffer.baseAddress { unsafe adit_wipe(base, buffer.count) }
    }
    removeAll(keepingCapacity: false)
  }
}
