/// What may stand in the configuration: the one table of section types and keys.
///
/// The parser, `adit check` and docs/CONFIGURATION.md are all made from it.
package enum Schema {
  package struct Section: Sendable {
    package var type: String
    /// What it is for, one sentence.
    package var summary: String
    package var naming: Naming
    package var keys: [Key]
    /// Any OpenVPN option is a key too, with underscores for dashes.
    package var takesOpenVPNOptions = false
    /// Read and checked, and nothing follows from it yet.
    package var isActedOn = true
    /// Names that would be taken for Adit's own parts of the firewall table.
    package var reservedNames: Set<String> = []

    package func key(named name: String) -> Key? { keys.first { $0.name == name } }
  }

  package enum Naming: Sendable {
    /// At most one section; the name does not matter.
    case single
    /// A name of its own; counted ones are made up for anonymous sections.
    case own
    /// The name of the tunnel it belongs to.
    case tunnel
    /// Any number; the name does not matter.
    case free
  }

  package struct Key: Sendable {
    package var name: String
    package var kind: Kind
    package var isList: Bool
    /// As the documentation prints it; `nil` = nothing is set.
    package var standard: String?
    package var summary: String
    package var isActedOn: Bool

    init(
      _ name: String, _ kind: Kind, list isList: Bool = false, standard: String? = nil, isActedOn: Bool = true,
      _ summary: String
    ) {
      self.name = name
      self.kind = kind
      self.isList = isList
      self.standard = standard
      self.summary = summary
      self.isActedOn = isActedOn
    }
  }

  /// What a value must look like.
  package enum Kind: Sendable {
    case flag
    case word([String])
    case number(ClosedRange<Int>)
    case duration
    case address
    case prefix
    case endpoint
    case reachTarget
    case device
    case devicePattern
    case tunnel
    case way
    case place(PolicySettings.End)
    case addressList
    case ports
    case networkProtocol
    case byteMask
    case file
    case text

    /// For the documentation and for the diagnostic of a wrong value.
    package var description: String {
      switch self {
      case .flag: "1 or 0 (on, yes, true, enabled; off, no, false, disabled)"
      case .word(let words): words.joined(separator: ", ")
      case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
      case .duration: "a time such as 10s, 5m, 1h, 500ms; a bare number is seconds"
      case .address: "an IPv4 or IPv6 address"
      case .prefix: "an address or a prefix such as 192.168.0.0/16"
      case .endpoint: "an address and a port, such as 127.0.0.1:9176 or [::1]:9176"
      case .reachTarget: "an address, or an address and a port such as 192.0.2.1:443"
      case .device: "the name of a network device, at most 15 letters"
      case .devicePattern: "the name of a network device; `*` stands for any letters"
      case .tunnel: "the name of a `tunnel` section"
      case .way: "the name of a `tunnel` section, wan, or block"
      case .place(.source): "an address, a prefix, a MAC address, @DEVICE, or file:NAME; `!` in front negates"
      case .place(.destination): "an address, a prefix, a domain, or file:NAME; `!` in front negates"
      case .addressList: "an address, a prefix, or file:NAME"
      case .ports: "a port or a range such as 8000-8080"
      case .networkProtocol: "tcp, udp, icmp, icmpv6, esp, gre, or a protocol number"
      case .byteMask: "a mask of eight bits in a row, such as 0xff000000"
      case .file: "a file; a relative name starts at the configuration directory"
      case .text: "text"
      }
    }

    /// Values of these kinds hold no blanks, so one `option` may list several.
    var splitsAtBlanks: Bool {
      switch self {
      case .file, .text: false
      default: true
      }
    }
  }

  package static func section(ofType type: String) -> Section? { sections.first { $0.type == type } }

  package static let sections: [Section] = [globals, tunnel, gateway, policy, health, onDemand]
}
