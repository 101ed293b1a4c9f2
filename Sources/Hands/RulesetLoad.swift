import Base
import Gateway
import Netlink

/// How a text takes the place of the table that stands, in one transaction.
///
/// What a text declares and what lives longer than it stays: the timed sets, whose elements were put in at run time, and
/// the counters. All else goes first.
enum RulesetLoad {
  /// - Parameter standing: what stands; `nil` = nothing.
  static func text(_ ruleset: String, over standing: FirewallTable.Contents?) -> String {
    guard let standing else { return ruleset }
    let names = standing.chains + standing.sets.map(\.name) + standing.counters
    // Names of somebody's own making stay out of nft's language.
    guard !standing.hasOtherObjects, names.allSatisfy(isPlain) else { return replacing(ruleset) }
    let declared = Declarations(of: ruleset)
    let table = Firewall.table
    // Rules first, which refer to all the rest.
    var lines = ["flush table inet \(table)"]
    // Sets before chains: the elements of a map may refer to chains.
    lines += standing.sets.filter { !$0.isAnonymous && !declared.keep($0) }.map { set in
      "delete \(set.isMap ? "map" : "set") inet \(table) \(set.name)"
    }
    lines += standing.chains.map { "delete chain inet \(table) \($0)" }
    lines += standing.counters.filter { !declared.counters.contains($0) }.map { "delete counter inet \(table) \($0)" }
    return lines.joined(separator: "\n") + "\n" + ruleset
  }

  /// The whole table anew, with nothing kept.
  static func replacing(_ ruleset: String) -> String {
    "table inet \(Firewall.table)\ndelete table inet \(Firewall.table)\n" + ruleset
  }

  /// A word of nft that needs no quotes.
  private static func isPlain(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetter(first) || first == 95 || name.hasPrefix("__") else { return false }
    return name.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) || [45, 46, 95].contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

  /// What a text declares that may stand already.
  private struct Declarations {
    var sets: [String: TimedSet] = [:]
    var counters: Set<String> = []

    init(of ruleset: String) {
      for line in ruleset.split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2 else { continue }
        switch words[0] {
        case "\tset": sets[String(words[1])] = TimedSet(name: words[1])
        case "\tcounter": counters.insert(String(words[1]))
        default: continue
        }
      }
    }

    /// True for a set that the text declares just as it stands.
    func keep(_ set: FirewallTable.Contents.Set) -> Bool {
      guard let declared = sets[set.name] else { return false }
      return set.isTimed && set.keyType == declared.key.number && set.size == declared.size
    }
  }
}

extension TimedSet.Key {
  /// nft's numbers of its types (enum datatypes of its include/datatype.h).
  fileprivate var number: UInt32 {
    switch self {
    case .family: 2
    case .address(.ipv4): 7
    case .address(.ipv6): 8
    case .device: 41
    }
  }
}

extension TimedElement {
  /// As the kernel has it.
  var key: [UInt8] {
    switch value {
    case .address(let address): address.bytes
    // IFNAMSIZ.
    case .device(let name): Array(name.text.utf8) + Array(repeating: 0, count: max(16 - name.text.utf8.count, 0))
    // NFPROTO_IPV4 and NFPROTO_IPV6.
    case .family(let family): [family == .ipv4 ? 2 : 10]
    }
  }
}
