package import Base
package import Profile
package import Settings

/// The domains of one policy, and the sets of our table that hold their addresses once somebody has looked them up.
package struct PolicyDomains: Hashable, Sendable {
  package var policy: TunnelName
  /// True for domains that the policy leaves out.
  package var isNegated: Bool
  package var domains: [DomainName]

  /// `names4_tv`, or `notnames4_tv` for what the policy leaves out.
  package func set(_ family: AddressFamily) -> NftName {
    (isNegated ? NftName("notnames") : NftName("names")).of(family).of(policy)
  }

  /// Answers of strangers fill the sets: no more than this.
  package static let limit = 65_535
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
