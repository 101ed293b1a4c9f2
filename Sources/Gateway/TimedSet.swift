package import Base
package import Settings

/// A set of our table that is filled at run time: what stands in it outlives every text.
///
/// Each text declares the sets it reads, and a load keeps those that stand already, with their elements and the time these
/// have left.
package enum TimedSet: Hashable, Sendable {
  /// Devices that may go out by the WAN for a time.
  case pass(AddressFamily)
  /// LAN devices opened for a time.
  case openLAN
  /// The router itself, opened for a time, by family.
  case openRouter
  /// Addresses of a policy's domains.
  case names(policy: TunnelName, AddressFamily)
  /// Addresses of the domains that a policy leaves out.
  case notNames(policy: TunnelName, AddressFamily)

  package var name: NftName {
    switch self {
    case .pass(let family): NftName("pass").of(family)
    case .openLAN: "open_lan"
    case .openRouter: "open_router"
    case .names(let policy, let family): NftName("names").of(family).of(policy)
    case .notNames(let policy, let family): NftName("notnames").of(family).of(policy)
    }
  }

  package init?(name: some StringProtocol) {
    switch String(name) {
    case "pass4": self = .pass(.ipv4)
    case "pass6": self = .pass(.ipv6)
    case "open_lan": self = .openLAN
    case "open_router": self = .openRouter
    default:
      for family in AddressFamily.allCases {
        for (base, make) in [("names", Self.names), ("notnames", Self.notNames)] as [(NftName, Maker)] {
          let prefix = base.of(family).text + "_"
          guard name.hasPrefix(prefix), let policy = TunnelName(name.dropFirst(prefix.count)) else { continue }
          self = make(policy, family)
          return
        }
      }
      return nil
    }
  }

  private typealias Maker = (TunnelName, AddressFamily) -> TimedSet

  package enum Key: Hashable, Sendable { case address(AddressFamily), device, family }

  package var key: Key {
    switch self {
    case .pass(let family), .names(_, let family), .notNames(_, let family): .address(family)
    case .openLAN: .device
    case .openRouter: .family
    }
  }

  /// The most elements it takes; `nil` for what only an owner fills. Answers of a name server must not fill the memory.
  package var size: UInt32? {
    switch self {
    case .names, .notNames: 65_535
    case .pass, .openLAN, .openRouter: nil
    }
  }

  /// The type as nft names it.
  package var type: String {
    switch key {
    case .address(let family): family.nftType
    case .device: "ifname"
    case .family: "nf_proto"
    }
  }
}

/// One element to be put into a timed set, or the same with a new time.
package struct TimedElement: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case address(IPAddress)
    case device(DeviceName)
    case family(AddressFamily)
  }

  package let set: TimedSet
  package let value: Value
  /// `nil` = until somebody takes it out.
  package var timeout: Duration?

  /// - Returns: `nil` when such a value does not go into that set.
  package init?(set: TimedSet, value: Value, timeout: Duration? = nil) {
    switch (set.key, value) {
    case (.address(let family), .address(let address)): if address.family != family { return nil }
    case (.device, .device), (.family, .family): break
    default: return nil
    }
    self.set = set
    self.value = value
    self.timeout = timeout
  }
}
