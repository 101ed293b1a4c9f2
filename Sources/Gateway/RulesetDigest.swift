/// What a text of our table is known by: it ends with an empty chain that is named after the rest.
///
/// So everybody who looks at the table can tell which text was loaded, be it a daemon, its successor or a one-shot command. The
/// number of rules goes with it: `nft flush table` takes the rules and leaves the chains.
package struct RulesetDigest: Hashable, Sendable {
  /// 16 hexadecimal digits.
  package let hash: String
  package let rules: Int

  private static let chainPrefix = "text_"
  package var chain: String { Self.chainPrefix + hash }

  /// - Parameters:
  ///   - chain: the name of a chain that stands.
  ///   - rules: how many rules stand in the whole table.
  /// - Returns: `nil` when it is no chain of this kind.
  package init?(chain: String, rules: Int) {
    guard chain.hasPrefix(Self.chainPrefix) else { return nil }
    hash = String(chain.dropFirst(Self.chainPrefix.count))
    guard hash.utf8.count == 16 else { return nil }
    self.rules = rules
  }

  /// The digest of a text that `sealed` made; of any other text one that nothing standing has.
  package init(of text: String) {
    let bytes = Array(text.utf8)
    hash = String(decoding: Self.seal(in: bytes) ?? [], as: UTF8.self)
    rules = Self.countRules(bytes)
  }

  /// The table with its digest for a last chain.
  /// - Parameter text: ends with the closing brace of the table and a newline.
  package static func sealed(_ text: String) -> String {
    precondition(text.hasSuffix("}\n"), "the text does not end with its table")
    let digits = String(Self.hash(text.utf8), radix: 16)
    let name = chainPrefix + String(repeating: "0", count: 16 - digits.count) + digits
    return text.dropLast(2) + "\tchain \(name) {\n\t}\n}\n"
  }

  private static let start = Array("\tchain \(chainPrefix)".utf8)
  private static let end = Array(" {\n\t}\n}\n".utf8)

  private static func seal(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    guard bytes.suffix(end.count) == end[...] else { return nil }
    let head = bytes.dropLast(end.count)
    let digits = head.suffix(16)
    return digits.count == 16 && head.dropLast(16).suffix(start.count) == start[...] ? digits : nil
  }

  /// FNV-1a, 64 bits: two texts of one router do not share it by accident, and nobody else writes them.
  private static func hash(_ bytes: String.UTF8View) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x0100_0000_01b3 }
  }

  /// One rule a line, indented twice; a base chain begins with a line that says so.
  private static func countRules(_ bytes: [UInt8]) -> Int {
    let base = Array("type ".utf8)
    return bytes.split(separator: 10).count { line in
      line.prefix(2) == [9, 9] && line.dropFirst(2).prefix(base.count) != base[...]
    }
  }
}

/// What is known of our table where it stands.
package enum StandingRuleset: Hashable, Sendable {
  /// Of another make, or changed by somebody since.
  case unknown
  case text(RulesetDigest)
}
