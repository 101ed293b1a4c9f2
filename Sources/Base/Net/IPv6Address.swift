/// An IPv6 address as two halves, most significant first.
package struct IPv6Address: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// - Parameter bytes: exactly 16, as in a packet; `nil` otherwise.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// RFC 4291 section 2.2, all three forms; brackets and zones are not part of an address.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 45 else { return nil }
    let halves = Self.splitAtDoubleColon(String(text))
    guard let head = Self.groups(halves.head, isEnd: halves.tail == nil) else { return nil }
    var all = head
    if let tailText = halves.tail {
      guard let tail = Self.groups(tailText, isEnd: true), head.count + tail.count <= 7 else { return nil }
      all += Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }
    guard all.count == 8 else { return nil }
    high = all[..<4].reduce(0) { $0 << 16 | UInt64($1) }
    low = all[4...].reduce(0) { $0 << 16 | UInt64($1) }
  }

  package var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - $0 % 8 * 8)) }
  }

  /// RFC 5952: lower case, the longest run of zeros shortened once.
  package var description: String {
    let groups = (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> UInt64(48 - $0 % 4 * 16)) }
    var best = 0..<0
    var start = 0
    while start < 8 {
      guard groups[start] == 0 else {
        start += 1
        continue
      }
      let end = groups[start...].firstIndex { $0 != 0 } ?? 8
      if end - start > max(best.count, 1) { best = start..<end }
      start = end
    }
    func text(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
    return best.isEmpty ? text(groups[...]) : text(groups[..<best.lowerBound]) + "::" + text(groups[best.upperBound...])
  }

  package static func < (left: IPv6Address, right: IPv6Address) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  private static func splitAtDoubleColon(_ text: String) -> (head: Substring, tail: Substring?) {
    let bytes = text.utf8
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let next = bytes.index(after: index)
      if bytes[index] == 58, next < bytes.endIndex, bytes[next] == 58 {
        return (text[..<index], text[bytes.index(after: next)...])
      }
      index = next
    }
    return (text[...], nil)
  }

  /// - Parameter isEnd: an IPv4 address may stand only at the end of the whole.
  private static func groups(_ text: Substring, isEnd: Bool) -> [UInt16]? {
    if text.isEmpty { return [] }
    var result: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (position, part) in parts.enumerated() {
      if isEnd, position == parts.count - 1, let embedded = IPv4Address(part) {
        result += [UInt16(embedded.value >> 16), UInt16(embedded.value & 0xffff)]
        continue
      }
      guard (1...4).contains(part.utf8.count), part.utf8.first != 43, let group = UInt16(part, radix: 16) else {
        return nil
      }
      result.append(group)
    }
    return result.count <= 8 ? result : nil
  }
}
