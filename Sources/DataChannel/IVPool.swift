internal import Base
internal import Crypto

/// Random IVs for CBC, fetched many at a time: one each would cost a walk through the generator per packet.
@safe struct IVPool: ~Copyable {
  private static let count = 128
  private let bytes: UnsafeMutableRawBufferPointer
  private let random: RandomSource
  private var left = 0

  init(random: RandomSource) {
    self.random = random
    unsafe bytes = .allocate(byteCount: Self.count * BlockCipherContext.blockSize, alignment: 16)
  }

  deinit { unsafe bytes.deallocate() }

  mutating func take(into out: UnsafeMutableRawPointer) {
    if left == 0 {
      unsafe random.fill(bytes)
      left = Self.count
    }
    left -= 1
    let offset = left * BlockCipherContext.blockSize
    unsafe UnsafeMutableRawBufferPointer(start: out, count: BlockCipherContext.blockSize)
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + BlockCipherContext.blockSize]))
  }
}
