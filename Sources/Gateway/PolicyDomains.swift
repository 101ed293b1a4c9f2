package import Base
package import Profile
package import Settings

/// The domains of one policy, and the sets of our table that hold their addresses once somebody has looked them up.
package struct PolicyDomains: Hashable, Sendable {
  package var policy: TunnelName
  /// True for domains that the policy leaves out.
  package var isNegated: Bool
  package var domains: [DomainName]

  package init(policy: TunnelName, isNegated: Bool = false, domains: [DomainName]) {
    self.policy = policy
    self.isNegated = isNegated
    self.domains = domains
  }

  package func set(_ family: AddressFamily) -> TimedSet {
    isNegated ? .notNames(policy: policy, family) : .names(policy: policy, family)
  }
}

extension Settings {
  package var policyDomains: [PolicyDomains] {
    policies.filter { $0.reading != .nothing }.flatMap { policy in
      [false, true].compactMap { isNegated in
        let domains = policy.destinations.filter { $0.isNegated == isNegated }.compactMap { term -> DomainName? in
          guard case .domain(let domain) = term.match else { return nil }
          return domain
        }
        return domains.isEmpty ? nil : PolicyDomains(policy: policy.name, isNegated: isNegated, domains: domains)
      }
    }
  }
}
