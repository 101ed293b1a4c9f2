package import Base
import Profile
package import Settings

/// Settings, the state of the tunnels and the system as it is, made into the network that should be.
package enum Planner {
  /// What must be there after a clean stop: nothing of ours.
  package static let withdrawn = NetworkPlan()

  /// - Parameters:
  ///   - tunnels: every configured tunnel, whether it is up or not: before the first one is up the plan is closed.
  ///   - choices: by gateway, the tunnel that serves it; without a word, the first that is up.
  ///   - formerUplinks: `uplinks` of the plan before. A device that lost its default keeps being an uplink: when its
  ///     address comes back before its default does, it must not pass for a net of the house.
  ///   - openings: what goes beside the tunnels now, for a time.
  ///   - clockIsUnset: lets the router's own NTP out by the uplink.
  ///   - awaitsFirewall: our nft table does not stand yet: a rule keeps the LAN closed in its place.
  ///   - isArmedOnly: nothing lives that could carry a packet or plan anew.
  ///   - resolver: who answers names on this router; `nil` = nobody looked.
  package static func plan(
    settings: Settings, tunnels: [TunnelState], snapshot: Snapshot, choices: [TunnelName: TunnelName] = [:],
    formerUplinks: Set<DeviceName> = [], openings: Openings = .none, clockIsUnset: Bool = false,
    awaitsFirewall: Bool = false, isArmedOnly: Bool = false, resolver: ResolverFacts? = nil
  ) -> NetworkPlan {
    guard !tunnels.isEmpty || !settings.gateways.isEmpty else { return withdrawn }
    let settings = settings.including(probesIn: snapshot)
    let surroundings = Surroundings(
      snapshot: snapshot, tunnels: tunnels, settings: settings, formerUplinks: formerUplinks)
    let situation = Situation(
      settings: settings, tunnels: tunnels, snapshot: snapshot, choices: choices, surroundings: surroundings,
      openings: openings, clockIsUnset: clockIsUnset, awaitsFirewall: awaitsFirewall, isArmedOnly: isArmedOnly,
      resolver: resolver)
    var plan = NetworkPlan()
    plan.uplinks = surroundings.uplinks
    plan.devices = situation.devices
    plan.addresses = (situation.tunnels + situation.seconds).filter { $0.fault == nil && $0.state.wantsDevice }
      .flatMap(\.addresses)
    let pushed = situation.pushedTable
    plan.routes = situation.routes(pushed)
    plan.rules = situation.rules(pushed)
    let table = Ruleset(situation).table
    plan.table = table
    plan.ruleset = table.text
    plan.sysctls = situation.sysctls
    plan.nameService = situation.names.service
    plan.unwatchedTunnels = situation.unwatchedTunnels
    plan.warnings =
      situation.tunnels.flatMap(\.warnings) + situation.warnings + situation.names.warnings + pushed.warnings
    for tunnel in situation.tunnels { plan.faults[tunnel.state.name] = tunnel.fault }
    for second in situation.seconds { plan.faultsOfSeconds[second.state.name] = second.fault }
    plan.tunnels = situation.tunnels.filter { $0.isConfigured && $0.fault == nil }.map(\.facts)
    plan.seconds = situation.seconds.filter { $0.isConfigured && $0.fault == nil }.map(\.facts)
    plan.gateways = situation.gateways.map { gateway in
      NetworkPlan.GatewayFacts(
        name: gateway.settings.name, active: gateway.active?.state.name, isArmed: gateway.isArmed,
        refused: Set(situation.families.filter { gateway.verdict($0) == .refused }),
        counter: Ruleset.counter(of: gateway.settings.name).text, nets: surroundings.nets(of: gateway.lan),
        excluded: gateway.excluded, ways: gateway.flowWays, takesRouter: gateway.settings.scope == .all)
    }
    plan.house = surroundings.local.map(\.destination).uniqued()
    plan.ownAddresses = Set(snapshot.addresses.map(\.prefix.address))
    plan.policies = situation.policies.map { $0.facts(situation.tunnels) }
    return plan
  }
}

/// What holds while no daemon lives.
extension Planner {
  /// The closed network of the gateways whose kill switch is `always`, and nothing else: no tun device, no forwarding.
  ///
  /// Made before the network is up, it knows no net of the house and no way out: then the LANs reach the router and each
  /// other's private addresses, until a daemon plans anew.
  /// - Parameter holdsSessions: a daemon ended without a stop: what `session` closed stays closed too.
  package static func armed(
    settings: Settings, tunnels: [TunnelState], snapshot: Snapshot, formerUplinks: Set<DeviceName> = [],
    holdsSessions: Bool = false
  ) -> NetworkPlan {
    var settings = settings
    settings.gateways.removeAll { gateway in
      gateway.killSwitch == .off || (gateway.killSwitch == .session && !holdsSessions)
    }
    guard !settings.gateways.isEmpty else { return withdrawn }
    let named = Set(settings.gateways.flatMap(\.tunnels))
    let idle = tunnels.filter { named.contains($0.name) }.map { tunnel in
      var tunnel = tunnel
      tunnel.pushed = nil
      tunnel.serverAddress = nil
      tunnel.isUp = false
      tunnel.wantsDevice = false
      tunnel.second = nil
      return tunnel
    }
    return plan(
      settings: settings, tunnels: idle, snapshot: snapshot, formerUplinks: formerUplinks, isArmedOnly: true)
  }
}

/// Everything a plan is made of, worked out once.
struct Situation {
  let settings: Settings
  let surroundings: Surroundings
  let tunnels: [TunnelNetwork]
  /// Sessions beside those that serve.
  let seconds: [TunnelNetwork]
  let gateways: [GatewayNetwork]
  /// In order.
  let policies: [PolicyNetwork]
  let openings: Openings
  let clockIsUnset: Bool
  let awaitsFirewall: Bool
  let isArmedOnly: Bool
  /// The devices that are there.
  let links: [DeviceName]
  private(set) var names = NameWays()

  init(
    settings: Settings, tunnels states: [TunnelState], snapshot: Snapshot, choices: [TunnelName: TunnelName],
    surroundings: Surroundings, openings: Openings, clockIsUnset: Bool, awaitsFirewall: Bool, isArmedOnly: Bool,
    resolver: ResolverFacts?
  ) {
    self.settings = settings
    self.awaitsFirewall = awaitsFirewall
    self.isArmedOnly = isArmedOnly
    self.openings = openings
    self.clockIsUnset = clockIsUnset
    self.surroundings = surroundings
    links = snapshot.links.map(\.name)
    let tunnels = states.map { TunnelNetwork($0, surroundings, in: snapshot) }
    self.tunnels = tunnels
    seconds = states.filter { $0.second != nil && $0.wantsDevice }
      .map { TunnelNetwork($0.exchanged, surroundings, in: snapshot) }
    gateways = settings.gateways.map { GatewayNetwork($0, tunnels: tunnels, choice: choices[$0.name]) }
    let standing = tunnels.filter(\.stands)
    var opensWAN = !surroundings.uplinks.isEmpty && settings.isWhole
    policies = settings.policies.map { policy in
      // What could not be read may have been meant for packets that a later policy would let out.
      if policy.reading != .whole { opensWAN = false }
      return PolicyNetwork(policy, tunnels: standing, opensWAN: opensWAN)
    }
    names = nameWays(resolver, snapshot)
  }

  var marks: MarkLayout { settings.globals.marks }

  /// Armed before the network is up: not every net of the house is known yet, or any device may become the way out.
  var isBeforeNetwork: Bool {
    guard isArmedOnly else { return false }
    let known = Set(surroundings.local.compactMap(\.device))
    return surroundings.uplinks.isEmpty || !surroundings.lan.isSubset(of: known)
  }

  /// Devices of different LANs find each other before the network is known, by a rule of their own.
  var opensBetweenLANs: Bool { isBeforeNetwork && surroundings.lan.count > 1 }

  var families: [AddressFamily] { surroundings.hasIPv6 ? [.ipv4, .ipv6] : [.ipv4] }

  /// Tunnels whose device stands.
  var standing: [TunnelNetwork] { tunnels.filter(\.stands) }

  /// Tunnels that no gateway names: they serve the router itself and follow the push exactly.
  var ungoverned: [TunnelNetwork] {
    let named = Set(settings.gateways.flatMap(\.tunnels))
    return tunnels.filter { !named.contains($0.state.name) }
  }

  /// A gateway for the router's own traffic too.
  var routerGateway: GatewayNetwork? { gateways.first { $0.settings.scope == .all } }

  var devices: [NetworkPlan.TunDevice] {
    (standing + seconds.filter(\.stands)).map { tunnel in
      NetworkPlan.TunDevice(
        name: tunnel.state.device, alias: tunnel.state.alias, mtu: tunnel.mtu,
        transmitQueueLength: tunnel.state.profile?.transmitQueueLength ?? 1000)
    }
  }

  var warnings: [String] {
    gateways.flatMap { gateway in
      let name = gateway.settings.name
      var result = absent(gateway.settings.lan, of: name.text)
      if gateway.tunnels.isEmpty { result.append("\(name): no tunnel is usable, so its LANs stay closed") }
      for prefix in gateway.settings.excluded where prefix.length == 0 {
        result.append("\(name): exclude \(prefix) is ignored, it would exclude everything")
      }
      return result
    } + policyWarnings
  }

  private var policyWarnings: [String] {
    let missing =
      settings.isWhole || policies.isEmpty
      ? [] : ["a file of the configuration could not be read, so no policy opens the WAN"]
    return missing
      + policies.flatMap { policy in
        let name = "policy \(policy.settings.name)"
        let unread =
          policy.settings.reading == .whole
          ? [] : ["\(name): it could not be read in full, so no policy after it opens the WAN"]
        return unread + absent(policy.from.any.devices + policy.from.none.devices, of: name)
      }
  }

  /// A device may come later, as USB sticks do; most often its name is wrong.
  private func absent(_ devices: [DeviceName], of owner: String) -> [String] {
    devices.filter { !links.contains($0) }.map { device in
      let near = NearestName.of(device.text, in: links.map(\.text))
      let hint = near.map { "; did you mean `\($0)`?" } ?? ""
      return "\(owner): there is no device `\(device)` yet\(hint)"
    }
  }
}

extension TunnelNetwork {
  var stands: Bool { state.wantsDevice && fault?.code != .deviceTaken }

  var facts: NetworkPlan.TunnelFacts {
    NetworkPlan.TunnelFacts(
      name: state.name, addresses: facedAddresses, gateway4: gateway4, gateway6: gateway6, mtu: mtu, dns: resolvers,
      domains: domains, isDefault: redirects4 || redirects6)
  }

  private var facedAddresses: [IPPrefix] { addresses.map(\.prefix) }
}
