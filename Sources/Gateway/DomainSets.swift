package import Profile

/// Every domain that a policy names, once, and whose sets an address of it goes into: those of each policy that names the
/// domain or one above it.
///
/// The engines' reports refer to the list; dnsmasq asks only its nearest line about a name, so there each line names them all.
package struct DomainSets: Hashable, Sendable {
  /// Sorted, so that the same policies give the same list.
  package let domains: [DomainName]
  package let policies: [PolicyDomains]
  /// For each domain, places in `policies`, in the order of these.
  package let targets: [[Int]]

  package init(_ policies: [PolicyDomains] = []) {
    self.policies = policies
    var naming: [Substring: [Int]] = [:]
    for (place, policy) in policies.enumerated() {
      for domain in policy.domains where naming[domain.text[...]]?.last != place {
        naming[domain.text[...], default: []].append(place)
      }
    }
    domains = Set(policies.flatMap(\.domains)).sorted { $0.text < $1.text }
    targets = domains.map { domain in
      var found = Set<Int>()
      var rest = domain.text[...]
      while true {
        found.formUnion(naming[rest] ?? [])
        guard let dot = rest.firstIndex(of: ".") else { break }
        rest = rest[rest.index(after: dot)...]
      }
      return found.sorted()
    }
  }

  package var isEmpty: Bool { domains.isEmpty }
}
