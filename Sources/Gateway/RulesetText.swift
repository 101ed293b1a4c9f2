import Base

/// Writes nft's language. Takes only typed values, so nothing that a stranger wrote can become syntax.
struct RulesetText {
  private var lines: [String] = []

  var text: String { lines.joined(separator: "\n") + "\n" }

  mutating func line(_ text: String) { lines.append(text) }

  mutating func object(_ text: String) { lines.append("\t" + text) }

  /// - Parameter base: `type filter hook forward priority …`; `nil` for a chain that is only jumped to.
  mutating func chain(_ name: String, base: String? = nil, _ rules: [String]) {
    object("chain \(name) {")
    if let base { lines.append("\t\t\(base); policy accept;") }
    lines += rules.map { "\t\t" + $0 }
    object("}")
  }

  mutating func set(_ name: String, devices: [DeviceName]) {
    set(name, type: "ifname", flags: nil, elements: devices.sorted().uniqued().map { "\"\($0)\"" })
  }

  /// - Parameter prefixes: of one family; must not overlap.
  mutating func set(_ name: String, _ family: AddressFamily, prefixes: [IPPrefix]) {
    set(name, type: family.nftType, flags: "interval", elements: prefixes.map(\.description))
  }

  /// A set that `adit pass` fills at run time.
  mutating func timedSet(_ name: String, _ family: AddressFamily) {
    set(name, type: family.nftType, flags: "timeout", elements: [])
  }

  private mutating func set(_ name: String, type: String, flags: String?, elements: [String]) {
    let flags = flags.map { " flags \($0);" } ?? ""
    let elements = elements.isEmpty ? "" : " elements = { \(elements.joined(separator: ", ")) };"
    object("set \(name) { type \(type);\(flags)\(elements) }")
  }

  static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension AddressFamily {
  var nftType: String { self == .ipv4 ? "ipv4_addr" : "ipv6_addr" }
  /// The keyword for its header.
  var nftHeader: String { self == .ipv4 ? "ip" : "ip6" }
  /// The suffix of our sets.
  var digit: String { self == .ipv4 ? "4" : "6" }
}
