package import Control
import Gateway

/// The rules of other programs, as `nft -j list ruleset` tells them.
package struct ForeignFirewall: Sendable {
  package struct ChainName: Hashable, Sendable, CustomStringConvertible {
    package var family: String
    package var table: String
    package var chain: String

    /// As nft(8) names it: `chain inet fw4 forward`.
    package var description: String { "chain \(family) \(table) \(chain)" }
  }

  package struct Chain: Sendable {
    package var name: ChainName
    /// `nil` for a chain that is only jumped to.
    package var hook: String?
    package var type: String?
    package var policyDrops = false
    /// The statements of each rule.
    package var rules: [[JSONValue]] = []
  }

  package struct Flowtable: Hashable, Sendable {
    package var family: String
    package var table: String
    package var name: String
  }

  package private(set) var chains: [Chain] = []
  package private(set) var flowtables: [Flowtable] = []
  private var places: [ChainName: Int] = [:]
  private var sets: [ChainName: [JSONValue]] = [:]

  /// - Parameter ruleset: what nft printed.
  /// - Returns: `nil` when it is something else.
  package init?(_ ruleset: JSONValue) {
    guard let objects = ruleset["nftables"]?.elements else { return nil }
    for object in objects {
      guard let member = object.members?.first else { continue }
      let name = ChainName(
        family: member.value["family"]?.text ?? "", table: member.value["table"]?.text ?? "",
        chain: member.value["name"]?.text ?? "")
      guard !(name.family == "inet" && name.table == NetworkPlan.table.text) else { continue }
      switch member.key {
      case "chain": add(name, member.value)
      case "rule": addRule(member.value, of: name)
      case "set": sets[name] = member.value["elem"]?.elements ?? []
      case "flowtable":
        flowtables.append(Flowtable(family: name.family, table: name.table, name: name.chain))
      default: continue
      }
    }
  }

  private mutating func add(_ name: ChainName, _ chain: JSONValue) {
    places[name] = chains.count
    chains.append(
      Chain(
        name: name, hook: chain["hook"]?.text, type: chain["type"]?.text,
        policyDrops: chain["policy"]?.text == "drop"))
  }

  private mutating func addRule(_ rule: JSONValue, of table: ChainName) {
    var name = table
    name.chain = rule["chain"]?.text ?? ""
    guard let place = places[name], let statements = rule["expr"]?.elements else { return }
    chains[place].rules.append(statements)
  }

  package func chain(_ name: ChainName) -> Chain? { places[name].map { chains[$0] } }

  /// - Returns: `nil` when its elements are not known.
  func set(_ name: String, in chain: ChainName) -> [JSONValue]? {
    var place = chain
    place.chain = name
    return sets[place]
  }

  /// Base chains whose verdict counts for packets of that hook.
  package func filters(_ hook: String) -> [Chain] { chains.filter { $0.hook == hook && $0.type == "filter" } }

  /// Every program has its own table; some share one and differ by the names of their chains.
  package enum Owner: Hashable, Sendable { case fw4, firewalld, docker, ufw, other }

  package func owner(of chain: ChainName) -> Owner {
    if chain.table == "fw4" { return .fw4 }
    if chain.table == "firewalld" { return .firewalld }
    let names = chains.lazy.filter { $0.name.family == chain.family && $0.name.table == chain.table }.map(\.name.chain)
    // Both may stand in one table; what docker has no accept for, ufw has none for either, and ufw's remedy covers both.
    if names.contains(where: { $0.hasPrefix("ufw-") || $0.hasPrefix("ufw6-") }) { return .ufw }
    if names.contains("DOCKER-USER") { return .docker }
    return .other
  }
}
