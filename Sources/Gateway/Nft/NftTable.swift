package import Base
package import Settings

/// One nft table as a value: it renders to nft's language (`text`), and can be walked with a packet in hand.
package struct NftTable: Hashable, Sendable {
  package var name: NftName
  package var sets: [NftSet] = []
  /// Named counters.
  package var counters: [NftName] = []
  package var chains: [NftChain] = []

  package init(name: NftName) { self.name = name }

  package func set(named name: NftName) -> NftSet? { sets.first { $0.name == name } }
  package func chain(named name: NftName) -> NftChain? { chains.first { $0.name == name } }
}

/// The name of a set, chain or counter. Made of the program's own words and section names, so nothing that a stranger wrote
/// can become syntax.
package struct NftName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let text: String

  package init(stringLiteral text: StaticString) { self.text = text.description }

  package init(_ name: TunnelName) { text = name.text }

  private init(text: String) { self.text = text }

  package func of(_ owner: NftName) -> NftName { NftName(text: "\(text)_\(owner.text)") }

  /// `lan` of gateway `guests` is `lan_guests`.
  package func of(_ owner: TunnelName) -> NftName { NftName(text: "\(text)_\(owner.text)") }

  /// `inside` of a family is `inside4` or `inside6`.
  package func of(_ family: AddressFamily) -> NftName { NftName(text: text + family.digit) }

  /// `from_tunnel` of index 3 is `from_tunnel_3`.
  package func of(_ index: Int) -> NftName { NftName(text: "\(text)_\(index)") }

  package var description: String { text }
}

/// A chain: where packets pass it, and what it does with them.
package struct NftChain: Hashable, Sendable {
  package var name: NftName
  /// `nil` for a chain that is only jumped to.
  package var hook: NftHook?
  package var rules: [NftRule]

  package init(_ name: NftName, _ hook: NftHook? = nil, _ rules: [NftRule]) {
    self.name = name
    self.hook = hook
    self.rules = rules
  }
}

/// Where a base chain stands in a packet's way. Its policy is always `accept`: what is refused is refused by a rule.
package struct NftHook: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable { case filter, nat, route }
  package enum Place: String, Hashable, Sendable { case prerouting, input, forward, output, postrouting }
  package enum Priority: String, Hashable, Sendable {
    case mangle, dstnat, filter, srcnat
    /// `dstnat` of the router's own packets: nft knows the word at prerouting only.
    case outputNAT = "-100"

    /// As the kernel counts (nf_ip_hook_priorities); the lowest is first.
    package var value: Int {
      switch self {
      case .mangle: -150
      case .dstnat, .outputNAT: -100
      case .filter: 0
      case .srcnat: 100
      }
    }
  }

  package var kind: Kind
  package var place: Place
  package var priority: Priority
  package var offset: Int

  package init(_ kind: Kind, _ place: Place, _ priority: Priority, offset: Int = 0) {
    self.kind = kind
    self.place = place
    self.priority = priority
    self.offset = offset
  }

  package var order: Int { priority.value + offset }
}
