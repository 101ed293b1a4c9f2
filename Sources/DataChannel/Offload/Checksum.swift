/// The Internet checksum (RFC 1071), as partial sums that add up.
///
/// Everything is summed in the byte order of memory, which the sum's definition allows: a folded value is stored as it is,
/// and what does not come from memory is put into network order first. A partial sum of 16-bit words is also one of
/// 32-bit words, because 2^16 and 2^32 both leave 1 when divided by 65,535.
package enum Checksum {
  private static let wordSize = 4
  private static let vectorSize = 32

  /// Adds bytes to a sum: every part but the last has an even number of them, and all parts together are below 2^32.
  @inline(__always)
  package static func sum(_ bytes: UnsafeRawPointer, count: Int, onto start: UInt64 = 0) -> UInt64 {
    precondition(count >= 0)
    var total = start
    var at = 0
    if count >= 2 * vectorSize {
      total &+= unsafe vectorSum(bytes, count: count, at: &at)
    }
    while count &- at >= wordSize {
      total &+= UInt64(unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
      at &+= wordSize
    }
    if count & 2 != 0 {
      total &+= UInt64(unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt16.self))
      at &+= 2
    }
    if count & 1 != 0 {
      // A byte without a neighbour is the first of a word that ends in zero.
      total &+= UInt64(UInt16(unsafe bytes.load(fromByteOffset: at, as: UInt8.self)).littleEndian)
    }
    return total
  }

  /// Two vectors a turn, so that neither addition waits for the other.
  private static func vectorSum(_ bytes: UnsafeRawPointer, count: Int, at: inout Int) -> UInt64 {
    var even = SIMD8<UInt64>(repeating: 0)
    var odd = even
    while count &- at >= 2 * vectorSize {
      let first = unsafe bytes.loadUnaligned(fromByteOffset: at, as: SIMD8<UInt32>.self)
      let second = unsafe bytes.loadUnaligned(fromByteOffset: at &+ vectorSize, as: SIMD8<UInt32>.self)
      even &+= SIMD8<UInt64>(truncatingIfNeeded: first)
      odd &+= SIMD8<UInt64>(truncatingIfNeeded: second)
      at &+= 2 * vectorSize
    }
    return (even &+ odd).wrappedSum()
  }

  /// The sum in 16 bits, to be stored as it is; its complement is the checksum. Zero only when all bytes are.
  @inline(__always)
  package static func fold(_ sum: UInt64) -> UInt16 {
    var folded = (sum & 0xffff_ffff) &+ (sum >> 32)
    folded = (folded & 0xffff) &+ (folded >> 16)
    folded = (folded & 0xffff) &+ (folded >> 16)
    folded = (folded & 0xffff) &+ (folded >> 16)
    return UInt16(truncatingIfNeeded: folded)
  }

  /// Of the addresses of an IPv4 header, the protocol and the length of transport header and payload (RFC 9293, 3.1).
  @inline(__always)
  package static func pseudoHeader(ipv4 header: UnsafeRawPointer, protocol number: UInt8, count: Int) -> UInt64 {
    unsafe sum(header + 12, count: 8) &+ words(number, count)
  }

  /// Of the addresses of an IPv6 header, the protocol and the length of transport header and payload (RFC 8200, 8.1).
  @inline(__always)
  package static func pseudoHeader(ipv6 header: UnsafeRawPointer, protocol number: UInt8, count: Int) -> UInt64 {
    unsafe sum(header + 8, count: 32) &+ words(number, count)
  }

  @inline(__always)
  private static func words(_ number: UInt8, _ count: Int) -> UInt64 {
    UInt64(UInt32(truncatingIfNeeded: count).bigEndian) &+ UInt64(UInt16(number).bigEndian)
  }
}
