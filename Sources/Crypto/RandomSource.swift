package import Base
internal import COpenSSL
internal import Synchronization

/// Where random bytes come from.
///
/// Pure rooms are handed one, so that tests may hand them a known one.
@safe package struct RandomSource: RandomNumberGenerator, Sendable {
  private let filler: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  package init(_ filler: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) { unsafe self.filler = filler }

  /// OpenSSL's generator, which the kernel seeds.
  ///
  /// It ends the process rather than hand out bytes that are not random: keys made of them would be worthless.
  package static let system = unsafe RandomSource { buffer in
    guard let base = buffer.baseAddress, buffer.count > 0 else { return }
    let filled = unsafe RAND_bytes(base.assumingMemoryBound(to: UInt8.self), Int32(buffer.count))
    precondition(filled == 1, "no random bytes")
  }

  /// The same bytes for the same seed, in the order of asking (SplitMix64).
  ///
  /// For tests only.
  package static func seeded(_ seed: UInt64) -> RandomSource {
    let state = SeededState(seed)
    return unsafe RandomSource { buffer in
      for index in buffer.indices { unsafe buffer[index] = state.next() }
    }
  }

  package func fill(_ buffer: UnsafeMutableRawBufferPointer) { unsafe filler(buffer) }

  package func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe bytes.withUnsafeMutableBytes { unsafe fill($0) }
    return bytes
  }

  package func secret(_ count: Int) -> SecretBytes {
    var bytes = bytes(count)
    return SecretBytes(wiping: &bytes)
  }

  package func uint64() -> UInt64 {
    var value: UInt64 = 0
    unsafe withUnsafeMutableBytes(of: &value) { unsafe fill($0) }
    return value
  }

  package func uint32() -> UInt32 { UInt32(truncatingIfNeeded: uint64()) }

  /// For `shuffle(using:)` and `random(in:using:)`.
  package mutating func next() -> UInt64 { uint64() }
}

private final class SeededState: Sendable {
  private let state: Mutex<(word: UInt64, left: Int, seed: UInt64)>

  init(_ seed: UInt64) { state = Mutex((0, 0, seed)) }

  func next() -> UInt8 {
    state.withLock { state in
      if state.left == 0 {
        state.seed &+= 0x9e37_79b9_7f4a_7c15
        var word = state.seed
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        state.word = word ^ word >> 31
        state.left = 8
      }
      defer {
        state.word >>= 8
        state.left -= 1
      }
      return UInt8(truncatingIfNeeded: state.word)
    }
  }
}
