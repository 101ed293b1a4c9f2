package import Base
package import Profile
package import Settings

/// The whole network that Adit wants at one moment, as a plain value. `Planner` makes it, `Difference` compares it with the
/// system, `Hands` does the steps.
package struct NetworkPlan: Hashable, Sendable {
  package var devices: [TunDevice] = []
  package var addresses: [InterfaceAddress] = []
  package var routes: [Route] = []
  package var rules: [Rule] = []
  /// Our whole table in the language of nft(8), with its digest; `nil` = our table must not exist.
  package var ruleset: String?
  /// What `ruleset` says, as values that can be walked.
  package var table: NftTable?
  package var sysctls: [Sysctl] = []
  package var nameService = NameService()
  /// Tunnels whose engines need not look for the addresses of policies' domains, because dnsmasq does.
  package var unwatchedTunnels: Set<TunnelName> = []
  /// What the owner should know about it: refused routes, skipped parts.
  package var warnings: [String] = []
  /// Tunnels whose network cannot be made, and why. Nothing of them is in the plan but what keeps their gateways closed.
  package var faults: [TunnelName: Fault] = [:]
  /// Devices taken for ways out; hand them to the next planning as `formerUplinks`.
  package var uplinks: Set<DeviceName> = []
  /// What each tunnel with a network got, for `status`.
  package var tunnels: [TunnelFacts] = []
  /// The same of sessions beside those that serve, and what keeps such a one from having a network.
  package var seconds: [TunnelFacts] = []
  package var faultsOfSeconds: [TunnelName: Fault] = [:]
  package var gateways: [GatewayFacts] = []
  /// In order.
  package var policies: [PolicyFacts] = []
  /// Destinations inside the house, and the router's own addresses.
  package var house: [IPPrefix] = []
  package var ownAddresses: Set<IPAddress> = []

  /// Our one nft table, of the family inet.
  package static let table: NftName = "adit"

  /// The set of our table that names the devices of `kill_switch 'always'`, by which anybody can tell that it is armed; no
  /// such gateway, no such set.
  package static let alwaysSet: NftName = "always"
  /// The LAN devices of all gateways whose kill switch holds now; no such gateway, no such set.
  package static let armedSet: NftName = "armed"
  /// The LAN devices of all gateways.
  package static let lanSet: NftName = "lan"

  /// Counts what is refused of the router's own packets.
  package static let routerCounter = NftName("blocked").of(Ruleset.routerName)

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

  package struct TunnelFacts: Hashable, Sendable {
    package var name: TunnelName
    package var addresses: [IPPrefix]
    package var gateway4: IPv4Address?
    package var gateway6: IPv6Address?
    package var mtu: Int
    package var dns: [Endpoint]
    package var domains: [DomainName]
    /// True when the server or the profile asks for everything.
    package var isDefault: Bool
  }

  package struct GatewayFacts: Hashable, Sendable {
    package var name: TunnelName
    /// The tunnel its LANs are sent to; `nil` when it has none at all.
    package var active: TunnelName?
    /// True when the kill switch stands.
    package var isArmed: Bool
    /// Families that it covers and nothing carries now.
    package var refused: Set<AddressFamily>
    /// The named counter of refused packets in our table.
    package var counter: String
    /// Where its devices live.
    package var nets: [IPPrefix] = []
    /// Destinations that keep the ordinary way.
    package var excluded: [IPPrefix] = []
    package var ways: [AddressFamily: FlowWay] = [:]
    /// True when the router's own packets are held to the same.
    package var takesRouter = false
  }

  package struct PolicyFacts: Hashable, Sendable {
    package enum Way: Hashable, Sendable {
      case tunnel(TunnelName)
      case wan, block
      /// Nothing can match it, or its tunnel is down and the next policy decides.
      case leftOut
    }

    package var name: TunnelName
    package var way: Way
    /// The named counter of what policies refuse; one for all of them.
    package var counter: String
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
