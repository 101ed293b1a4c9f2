import Base
import Gateway
import Profile
import Settings
import Testing

@Suite("Policies by domain")
struct DomainSetsTests {
  private func policy(_ name: String, _ domains: String..., isNegated: Bool = false) throws -> PolicyDomains {
    PolicyDomains(
      policy: try #require(TunnelName(name)), isNegated: isNegated, domains: domains.compactMap { DomainName($0) })
  }

  /// `domain: policies`, as they stand.
  private func text(_ sets: DomainSets) -> [String] {
    zip(sets.domains, sets.targets).map { domain, targets in
      "\(domain): \(targets.map { sets.policies[$0].set(.ipv4).name.text }.joined(separator: " "))"
    }
  }

  @Test("A domain is listed once, with the sets of all who name it or a domain above it (B-54)")
  func sharing() throws {
    let sets = DomainSets([
      try policy("tv", "example.lab", "example.lab", "film.lab"), try policy("work", "www.example.lab", "example.lab"),
      try policy("rest", "lab", isNegated: true), try policy("other", "badexample.lab"),
    ])
    #expect(
      text(sets) == [
        "badexample.lab: notnames4_rest names4_other", "example.lab: names4_tv names4_work notnames4_rest",
        "film.lab: names4_tv notnames4_rest", "lab: notnames4_rest",
        "www.example.lab: names4_tv names4_work notnames4_rest",
      ])
  }

  @Test("The order of the domains in a policy changes nothing; no domain is no list")
  func order() throws {
    #expect(
      DomainSets([try policy("tv", "a.lab", "b.lab")]).domains
        == DomainSets([try policy("tv", "b.lab", "a.lab")]).domains)
    #expect(DomainSets([]).isEmpty)
    #expect(DomainSets() == DomainSets([]))
  }

  @Test("Thousands of domains of several policies cost no more than one look each")
  func many() throws {
    let domains = (0..<20_000).compactMap { DomainName("host\($0).example\($0 % 100).lab") }
    let policies = try (0..<8).map {
      PolicyDomains(policy: try #require(TunnelName("p\($0)")), isNegated: false, domains: domains)
    }
    let sets = DomainSets(policies)
    #expect(sets.domains.count == 20_000)
    #expect(sets.targets.allSatisfy { $0 == Array(0..<8) })
  }
}

@Suite("Addresses that no name of the outside can have")
struct HouseholdTests {
  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test(
    "They are none in any house",
    arguments: [
      "0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.0.9", "169.254.1.1", "224.0.0.251", "239.1.1.1", "240.0.0.1",
      "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::10.0.0.1", "fe80::1", "ff02::fb",
    ])
  func special(_ text: String) throws {
    let address = try address(text)
    #expect(Household().contains(address))
  }

  @Test(
    "A private address of a name inside a tunnel is one like any other",
    arguments: ["10.1.2.3", "fd00::7", "192.0.2.80"])
  func ordinary(_ text: String) throws {
    let address = try address(text)
    #expect(!Household().contains(address))
  }

  @Test("The router's nets, the far ends of its tunnels and what they need are the house")
  func house() throws {
    let lan = try #require(DeviceName("br-lan"))
    let house = Household(
      addresses: [
        InterfaceAddress(device: lan, prefix: try #require(IPPrefix("192.168.1.1/24"))),
        InterfaceAddress(device: lan, prefix: try #require(IPPrefix("2001:db8:1::1/64"))),
        InterfaceAddress(
          device: lan, prefix: try #require(IPPrefix("10.8.0.6/32")), peer: try address("10.8.0.5")),
        InterfaceAddress(device: lan, prefix: try #require(IPPrefix("203.0.113.9/0"))),
      ], others: [try address("9.9.9.9")])
    for text in ["192.168.1.77", "192.168.1.255", "2001:db8:1::77", "10.8.0.6", "10.8.0.5", "9.9.9.9"] {
      #expect(house.contains(try address(text)), "\(text)")
    }
    for text in ["192.168.2.1", "2001:db8:2::1", "10.8.0.7", "9.9.9.10", "203.0.113.10"] {
      #expect(!house.contains(try address(text)), "\(text)")
    }
  }
}
