/// The name of a network device as the kernel accepts it (dev_valid_name in net/core/dev.c), and narrower: only
/// letters, digits and `-_.@+`, so that it can stand in a ruleset or a path.
package struct DeviceName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let text: String

  /// IFNAMSIZ less the NUL.
  package static let longest = 15

  package init?(_ text: some StringProtocol) {
    let allowed = text.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || [43, 45, 46, 64, 95].contains($0)
    }
    guard allowed, (1...Self.longest).contains(text.utf8.count), text != ".", text != ".." else { return nil }
    self.text = String(text)
  }

  package var description: String { text }

  package static func < (left: DeviceName, right: DeviceName) -> Bool { left.text < right.text }
}
