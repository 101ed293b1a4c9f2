package import Base

/// The numbers of our routing tables and the places of our rules.
package enum RoutingTables {
  /// T(i): the way of a gateway into tunnel `i`.
  package static func tunnel(_ index: Int) -> UInt32 { 44_000 + UInt32(clamping: index) & 0x7f }
  /// L: connected nets and static routes of the house.
  package static let local: UInt32 = 44_128
  /// P: pushed and configured specific routes of all tunnels.
  package static let pushed: UInt32 = 44_129

  /// What tunnel `i` would have in P, had not another tunnel the same destination.
  package static func own(_ index: Int) -> UInt32 { 44_130 + UInt32(clamping: index) & 0x7f }

  /// The `unreachable` default below everything in T: the last metric there is.
  package static let lastMetric: UInt32 = 4_294_967_295

  /// True for the row that sends the router's own packets after the gateway of scope `all`.
  package static func isRouterRow(_ rule: Rule) -> Bool {
    rule.origin == Route.ours && rule.isInverted && rule.inputDevice == nil && rule.action != .lookup(pushed)
  }

  package static func isOurs(_ table: UInt32) -> Bool { (44_000...44_257).contains(table) }
}

/// Places in the rule band, counted from `rule_priority`; the order is the meaning.
enum RuleRow {
  static let own: UInt32 = 0
  static let wan: UInt32 = 10
  static let wanFallback: UInt32 = 11
  static let blocked: UInt32 = 12
  static let lease: UInt32 = 20
  static let clock: UInt32 = 21
  static let local: UInt32 = 30
  static let marked: UInt32 = 40
  static let waiting: UInt32 = 45
  static let displaced: UInt32 = 48
  static let pushed: UInt32 = 50
  static let betweenLANs: UInt32 = 55
  static let gateway: UInt32 = 60
  static let uplinkNets: UInt32 = 68
  static let routerOwn: UInt32 = 69
  static let router: UInt32 = 70
}

extension Route {
  /// What makes two routes the same place in the kernel's table: a second one replaces the first.
  package struct Place: Hashable, Sendable {
    package var table: UInt32
    package var destination: IPPrefix
    package var metric: UInt32
  }

  package var place: Place { Place(table: table, destination: destination, metric: metric) }
}
