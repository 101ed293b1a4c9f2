import Base
import Daemon
import Exchange
import Gateway
import Profile
import Settings
import Testing

@Suite("What engines say about names, and what root makes of it")
struct NameLedgerTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  private func policy(_ name: String, _ domains: String..., isNegated: Bool = false) throws -> PolicyDomains {
    PolicyDomains(
      policy: try #require(TunnelName(name)), isNegated: isNegated, domains: domains.compactMap { DomainName($0) })
  }

  private func ledger() throws -> NameLedger {
    var ledger = NameLedger()
    // In the list: example.lab, film.lab.
    let isNew = ledger.watch([try policy("tv", "example.lab", "film.lab"), try policy("work", "example.lab")])
    #expect(isNew)
    return ledger
  }

  private func report(
    _ ledger: NameLedger, _ domain: UInt32 = 0, lifetime: UInt32 = 300, _ addresses: [String]
  ) -> NamesReport {
    NamesReport(
      generation: ledger.order.generation, sequence: 1,
      items: addresses.compactMap { IPAddress($0) }.map {
        NamesReport.Item(domain: domain, address: $0, lifetime: lifetime)
      })
  }

  private func texts(_ elements: [TimedElement]) -> [String] {
    elements.map { element in
      guard case .address(let address) = element.value else { return "?" }
      return "\(element.set.name) \(address) \(element.timeout?.components.seconds ?? 0)"
    }
  }

  /// What is admitted of a report, with a fresh budget.
  private func admit(
    _ ledger: inout NameLedger, _ report: NamesReport, _ house: Household = Household(), at moment: Instant? = nil
  ) -> NameLedger.Outcome {
    var budget = Budget.names(at: moment ?? start)
    return ledger.admit(report, &budget, house, at: moment ?? start)
  }

  @Test("An address goes into the sets of all policies of its domain, by family, with its life and a margin")
  func admission() throws {
    var ledger = try ledger()
    let shared = admit(&ledger, report(ledger, 0, ["198.51.100.7", "2001:db8::7"]))
    #expect(
      texts(shared.elements) == [
        "names4_tv 198.51.100.7 900", "names4_work 198.51.100.7 900", "names6_tv 2001:db8::7 900",
        "names6_work 2001:db8::7 900",
      ])
    #expect(shared.wrong == 0 && shared.tooMany == 0)
    let own = admit(&ledger, report(ledger, 1, ["198.51.100.8"]))
    #expect(texts(own.elements) == ["names4_tv 198.51.100.8 900"])
  }

  @Test("No life is shorter than a minute or longer than a day", arguments: [(0, 60), (59, 60), (86_401, 86_400)])
  func lifetimes(_ written: UInt32, _ counted: Int) throws {
    var ledger = try ledger()
    let outcome = admit(&ledger, report(ledger, 1, lifetime: written, ["198.51.100.7"]))
    #expect(texts(outcome.elements) == ["names4_tv 198.51.100.7 \(counted + 600)"])
    let most = admit(&ledger, report(ledger, 1, lifetime: .max, ["198.51.100.9"]))
    #expect(texts(most.elements) == ["names4_tv 198.51.100.9 87000"])
  }

  @Test("The same answer again costs the kernel nothing until the margin is used up; then it is renewed")
  func renewal() throws {
    var ledger = try ledger()
    #expect(admit(&ledger, report(ledger, 1, ["198.51.100.7"])).elements.count == 1)
    #expect(admit(&ledger, report(ledger, 1, ["198.51.100.7"]), at: start + .seconds(600)).elements.isEmpty)
    let later = admit(&ledger, report(ledger, 1, ["198.51.100.7"]), at: start + .seconds(601))
    #expect(texts(later.elements) == ["names4_tv 198.51.100.7 900"])
    // A shorter life takes nothing away.
    let shorter = report(ledger, 1, lifetime: 60, ["198.51.100.7"])
    #expect(admit(&ledger, shorter, at: start + .seconds(602)).elements.isEmpty)
  }

  @Test("Of the house, of nobody, or of a domain that nobody watches: counted, never followed")
  func wrong() throws {
    var ledger = try ledger()
    let lan = try #require(DeviceName("br-lan"))
    let house = Household(addresses: [InterfaceAddress(device: lan, prefix: try #require(IPPrefix("192.168.1.1/24")))])
    let outcome = admit(
      &ledger, report(ledger, 0, ["192.168.1.9", "127.0.0.1", "::", "224.0.0.1", "198.51.100.7"]), house)
    #expect(outcome.wrong == 4)
    #expect(texts(outcome.elements) == ["names4_tv 198.51.100.7 900", "names4_work 198.51.100.7 900"])
    for domain in [2, 1_000_000, UInt32.max] {
      let outcome = admit(&ledger, report(ledger, domain, ["198.51.100.9"]))
      #expect(outcome.wrong == 1 && outcome.elements.isEmpty)
    }
  }

  @Test("A report about the list of before a reload is not followed, and no offence")
  func stale() throws {
    var ledger = try ledger()
    let old = report(ledger, 0, ["198.51.100.7"])
    let isNew = ledger.watch([try policy("tv", "film.lab")])
    #expect(isNew)
    #expect(admit(&ledger, old) == NameLedger.Outcome())
    #expect(ledger.order.domains.map(\.text) == ["film.lab"])
    let isSame = ledger.watch([try policy("tv", "film.lab")])
    #expect(!isSame)
  }

  @Test("A reload keeps what is known of the policies that stay, for a table that is lost")
  func reload() throws {
    var ledger = try ledger()
    _ = admit(&ledger, report(ledger, 0, ["198.51.100.7"]))
    let isNew = ledger.watch([try policy("work", "example.lab", "more.lab")])
    #expect(isNew)
    #expect(texts(ledger.elements(at: start + .seconds(100))) == ["names4_work 198.51.100.7 800"])
    #expect(ledger.elements(at: start + .seconds(900)).isEmpty)
  }

  @Test("While dnsmasq fills the sets too, nothing of ours ends; what is said later by engines alone does again")
  func lasting() throws {
    var ledger = try ledger()
    _ = admit(&ledger, report(ledger, 1, ["198.51.100.7"]))
    _ = admit(&ledger, report(ledger, 1, lifetime: 60, ["198.51.100.6"]))
    #expect(ledger.last(false, at: start).isEmpty)
    let later = start + .seconds(700)
    #expect(texts(ledger.last(true, at: later)) == ["names4_tv 198.51.100.7 0"])
    #expect(ledger.last(true, at: later).isEmpty)
    let next = admit(&ledger, report(ledger, 1, ["198.51.100.7", "198.51.100.8"]), at: later)
    #expect(next.elements.map(\.timeout) == [nil])
    #expect(ledger.elements(at: later + .seconds(1_000_000)).count == 2)
    #expect(ledger.last(false, at: later).isEmpty)
    let last = admit(&ledger, report(ledger, 1, ["198.51.100.9"]), at: later)
    #expect(texts(last.elements) == ["names4_tv 198.51.100.9 900"])
  }

  @Test("An engine says no more than a household asks")
  func pace() throws {
    var ledger = try ledger()
    var budget = Budget.names(at: start)
    var admitted = 0
    var refused = 0
    for round in 0..<20 {
      let many = (0..<200).map { "198.51.\(round).\($0)" }
      let outcome = ledger.admit(report(ledger, 1, many), &budget, Household(), at: start)
      admitted += outcome.elements.count
      refused += outcome.tooMany
    }
    #expect(admitted == budget.most)
    #expect(admitted + refused == 4000)
  }

  @Test("A set takes no more than its part; what is over makes room")
  func bounds() throws {
    var ledger = try ledger()
    var refused = 0
    for round in 0..<80 {
      let many = (0..<256).map { "198.\(round).1.\($0)" }
      refused += admit(&ledger, report(ledger, 1, lifetime: 60, many)).tooMany
    }
    #expect(refused == 80 * 256 - NameLedger.mostOfSet)
    let later = start + .seconds(661)
    #expect(admit(&ledger, report(ledger, 1, ["198.99.1.1"]), at: later).elements.count == 1)
    #expect(ledger.elements(at: later).count == 1)
  }
}
