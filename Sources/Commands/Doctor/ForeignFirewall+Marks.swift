import Control

extension ForeignFirewall {
  /// A chain that changes or reads bits of marks which are ours.
  package struct MarkUse: Hashable, Sendable {
    package var chain: ChainName
    package var bits: UInt32
    /// False: it only compares them.
    package var changes: Bool
  }

  /// - Parameter mask: our bits.
  package func markUses(of mask: UInt32) -> [MarkUse] {
    chains.flatMap { chain in
      var changed: UInt32 = 0
      var compared: UInt32 = 0
      for statement in chain.rules.joined() {
        if let mangle = statement["mangle"], let key = mangle["key"], Self.isMark(key), let value = mangle["value"] {
          changed |= Self.bits(changedBy: value, of: key) & mask
        } else if let match = statement["match"], let left = match["left"] {
          compared |= Self.bits(comparedBy: left) & mask
        }
      }
      var uses: [MarkUse] = []
      if changed != 0 { uses.append(MarkUse(chain: chain.name, bits: changed, changes: true)) }
      if compared != 0 { uses.append(MarkUse(chain: chain.name, bits: compared, changes: false)) }
      return uses
    }
  }

  private static func isMark(_ value: JSONValue) -> Bool {
    value["meta"]?["key"]?.text == "mark" || value["ct"]?["key"]?.text == "mark"
  }

  /// Bits that may differ after `mark set value`.
  private static func bits(changedBy value: JSONValue, of key: JSONValue) -> UInt32 {
    if value == key { return 0 }
    for (sign, keepsOnes) in [("&", true), ("|", false), ("^", false)] {
      guard let operands = value[sign]?.elements, operands.count == 2 else { continue }
      guard let constant = operands[1].integer.map({ UInt32(truncatingIfNeeded: $0) }) else { return .max }
      return bits(changedBy: operands[0], of: key) | (keepsOnes ? ~constant : constant)
    }
    return .max
  }

  /// A comparison of the whole mark concerns every bit, ours too.
  private static func bits(comparedBy left: JSONValue) -> UInt32 {
    if isMark(left) { return .max }
    guard let operands = left["&"]?.elements, operands.count == 2, isMark(operands[0]) else { return 0 }
    return operands[1].integer.map { UInt32(truncatingIfNeeded: $0) } ?? .max
  }
}
