package import Base

/// The whole network that Adit wants at one moment, as a plain value. `Planner` makes it, `Difference` compares it with the
/// system, `Hands` does the steps.
package struct NetworkPlan: Hashable, Sendable {
  package var devices: [TunDevice] = []
  package var addresses: [InterfaceAddress] = []
  package var routes: [Route] = []
  package var rules: [Rule] = []
  /// Text for `nft -f -`: our whole table in one transaction; `nil` = our table must not exist.
  package var ruleset: String?
  package var sysctls: [Sysctl] = []
  /// What the owner should know about it: conflicts, refused routes.
  package var warnings: [String] = []

  package init() {}

  package struct TunDevice: Hashable, Sendable {
    package var name: DeviceName
    /// `adit:NAME`, by which a successor knows it.
    package var alias: String
    package var mtu: Int
    package var transmitQueueLength: Int

    package init(name: DeviceName, alias: String, mtu: Int, transmitQueueLength: Int) {
      self.name = name
      self.alias = alias
      self.mtu = mtu
      self.transmitQueueLength = transmitQueueLength
    }
  }

  /// A file below /proc/sys, named as sysctl(8) prints it with `/` for separators: `net/ipv4/ip_forward`.
  package struct Sysctl: Hashable, Sendable {
    package var path: String
    package var value: String

    package init(_ path: String, _ value: String) {
      self.path = path
      self.value = value
    }
  }
}

/// One change of the system. The order in which `Difference` gives them is the order to do them in.
package enum Step: Hashable, Sendable {
  case setLink(NetworkPlan.TunDevice)
  case addAddress(InterfaceAddress)
  case addRoute(Route)
  case addRule(Rule)
  case loadRuleset(String)
  case setSysctl(NetworkPlan.Sysctl)
  case deleteRule(Rule)
  case deleteRoute(Route)
  case deleteAddress(InterfaceAddress)
  case deleteLink(DeviceName)
  case deleteRuleset
}
