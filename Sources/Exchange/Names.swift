package import Base
package import Profile

/// The domains of policies, in an order that reports refer to. They ride in a sealed memfd.
package struct WatchOrder: Hashable, Sendable {
  /// Rises with every list, so that a report about an older one is told apart.
  package var generation: UInt32
  package var domains: [DomainName]

  package init(generation: UInt32, domains: [DomainName]) {
    self.generation = generation
    self.domains = domains
  }

  /// As many of the domains as the limits allow, from the first on.
  package static func fitting(_ domains: [DomainName]) -> [DomainName] {
    var size = 0
    return Array(
      domains.prefix(ExchangeLimit.domains).prefix { domain in
        size += domain.text.utf8.count + 1
        return size <= ExchangeLimit.attachment
      })
  }
}

/// Addresses that an answer of the DNS gave for watched domains. The answer waits until the supervisor says that they stand.
package struct NamesReport: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    /// Place in the list of the watch order: the nearest domain that the name lies under.
    package var domain: UInt32
    package var address: IPAddress
    /// Seconds.
    package var lifetime: UInt32

    package init(domain: UInt32, address: IPAddress, lifetime: UInt32) {
      self.domain = domain
      self.address = address
      self.lifetime = lifetime
    }
  }

  package var generation: UInt32
  package var sequence: UInt32
  package var items: [Item]

  package init(generation: UInt32, sequence: UInt32, items: [Item]) {
    self.generation = generation
    self.sequence = sequence
    self.items = items
  }
}
