/// A decoder of LZO1X streams (protocol.md section 9.1). There is no encoder: Adit never compresses.
enum LZO1X {
  /// Unpacks one whole stream.
  ///
  /// - Returns: bytes written, or -1 for a stream that is broken, cut off, followed by anything, or longer than
  ///   `capacity` when unpacked.
  static func decode(
    _ source: UnsafeRawPointer, count: Int, into target: UnsafeMutableRawPointer, capacity: Int
  ) -> Int {
    var stream = unsafe Stream(source: source, count: count, target: target, capacity: capacity)
    return stream.decode()
  }

  /// Literals copied just before an instruction change what its first range means.
  private static let afterLiteralRun = 4

  @safe private struct Stream {
    let source: UnsafeRawPointer
    let count: Int
    let target: UnsafeMutableRawPointer
    let capacity: Int
    var read = 0
    var written = 0

    init(source: UnsafeRawPointer, count: Int, target: UnsafeMutableRawPointer, capacity: Int) {
      unsafe self.source = source
      self.count = count
      unsafe self.target = target
      self.capacity = capacity
    }

    mutating func decode() -> Int {
      guard count > 0 else { return -1 }
      var state = 0
      let first = unsafe source.load(as: UInt8.self)
      if first >= 18 {
        read = 1
        let literals = Int(first) - 17
        guard copyLiterals(literals) else { return -1 }
        state = min(literals, afterLiteralRun)
      }
      while true {
        let code = nextByte()
        guard code >= 0 else { return -1 }
        var length: Int
        let distance: Int
        let literals: Int
        switch code {
        case 0..<16 where state == 0:
          let run = code == 0 ? extended(18) : code + 3
          guard run >= 0, copyLiterals(run) else { return -1 }
          state = afterLiteralRun
          continue
        case 0..<16:
          let high = nextByte()
          guard high >= 0 else { return -1 }
          length = state == afterLiteralRun ? 3 : 2
          distance = high << 2 + code >> 2 + (state == afterLiteralRun ? 2049 : 1)
          literals = code & 3
        case 16..<32:
          length = code & 7 == 0 ? extended(9) : code & 7 + 2
          let word = nextWord()
          guard length >= 0, word >= 0 else { return -1 }
          distance = 16_384 + (code & 8) << 11 + word >> 2
          literals = word & 3
          if distance == 16_384 { return code == 0x11 && word == 0 && read == count ? written : -1 }
        case 32..<64:
          length = code & 31 == 0 ? extended(33) : code & 31 + 2
          let word = nextWord()
          guard length >= 0, word >= 0 else { return -1 }
          distance = word >> 2 + 1
          literals = word & 3
        default:
          let high = nextByte()
          guard high >= 0 else { return -1 }
          length = code < 128 ? 3 + code >> 5 & 1 : 5 + code >> 5 & 3
          distance = high << 3 + code >> 2 & 7 + 1
          literals = code & 3
        }
        guard copyMatch(length, distance: distance), copyLiterals(literals) else { return -1 }
        state = literals
      }
    }

    /// -1 at the end; so are all that follow.
    private mutating func nextByte() -> Int {
      guard read < count else { return -1 }
      defer { read += 1 }
      return unsafe Int(source.load(fromByteOffset: read, as: UInt8.self))
    }

    /// Little-endian.
    private mutating func nextWord() -> Int {
      guard count - read >= 2 else { return -1 }
      defer { read += 2 }
      return unsafe Int(UInt16(littleEndian: source.loadUnaligned(fromByteOffset: read, as: UInt16.self)))
    }

    /// Each zero byte adds 255, the first other byte ends it. Bounded by the stream's length.
    private mutating func extended(_ base: Int) -> Int {
      var length = base
      while true {
        let byte = nextByte()
        if byte < 0 { return -1 }
        if byte > 0 { return length + byte }
        length += 255
      }
    }

    private mutating func copyLiterals(_ length: Int) -> Bool {
      guard length <= count - read, length <= capacity - written else { return false }
      unsafe (target + written).copyMemory(from: source + read, byteCount: length)
      read += length
      written += length
      return true
    }

    /// Byte by byte, because a match may reach into what it writes.
    private mutating func copyMatch(_ length: Int, distance: Int) -> Bool {
      guard distance <= written, length <= capacity - written else { return false }
      var left = length
      while left > 0 {
        unsafe target.storeBytes(
          of: target.load(fromByteOffset: written - distance, as: UInt8.self), toByteOffset: written, as: UInt8.self)
        written += 1
        left -= 1
      }
      return true
    }
  }
}
