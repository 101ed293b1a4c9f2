package import Base
import Gateway
import Netlink

/// What a sweep took away.
package struct Leftovers: Hashable, Sendable {
  /// What stays, because a successor takes it over.
  package struct Adoption: Hashable, Sendable {
    /// Devices of configured tunnels and their aliases; a device of another alias of ours is a leftover.
    package var devices: [DeviceName: String]
    /// Routes, rules, ruleset and settings stay: the first plan is compared with them, so nothing opens in between.
    package var keepsNetwork: Bool

    package init(devices: [DeviceName: String] = [:], keepsNetwork: Bool = false) {
      self.devices = devices
      self.keepsNetwork = keepsNetwork
    }

    package static let nothing = Adoption()
  }

  package var devices: [DeviceName] = []
  package var routes = 0
  package var rules = 0
  package var hadRuleset = false
  package var settings: [String] = []
  /// What resolvers had been told: a device or dnsmasq.
  package var resolvers: [String] = []
  package var failures: [Fault] = []

  package init() {}

  package var isEmpty: Bool {
    devices.isEmpty && routes == 0 && rules == 0 && !hadRuleset && settings.isEmpty && resolvers.isEmpty
      && failures.isEmpty
  }

  /// One line for each kind, in plain words.
  package var lines: [String] {
    var lines = devices.map { "removed the device \($0)" }
    if routes > 0 { lines.append("removed \(routes) route\(routes == 1 ? "" : "s")") }
    if rules > 0 { lines.append("removed \(rules) rule\(rules == 1 ? "" : "s")") }
    lines += settings.map { "restored \($0)" }
    lines += resolvers.map { "took back \($0)" }
    if hadRuleset { lines.append("removed the nft table inet \(Firewall.table)") }
    return lines + failures.map(\.sentence)
  }
}

extension Hands {
  /// Removes what a predecessor left, and nothing else: tun and probe devices with an alias of ours, routes of protocol 173
  /// in any table, rules of protocol 173 in our band, our nft table, and settings that still have the value we gave them.
  ///
  /// Not while a plan is being done.
  /// - Parameters:
  ///   - band: priorities of our rules.
  ///   - limit: for nft.
  package func sweep(
    band: ClosedRange<UInt32>, adopting adoption: Leftovers.Adoption = .nothing, within limit: Duration = .seconds(4)
  ) throws(Fault) -> Leftovers {
    precondition(!isBusy, "a plan is being done")
    var left = Leftovers()
    let snapshot = try installed(for: NetworkPlan()).snapshot
    if !adoption.keepsNetwork {
      // Rules first: without them the tables are not asked, and the ruleset still guards.
      left.rules = remove(
        snapshot.rules.filter { $0.origin == Route.ours && band.contains($0.priority) }.map(NetlinkChange.deleteRule),
        &left)
      left.routes = remove(
        snapshot.routes.filter { $0.origin == Route.ours }.map(NetlinkChange.deleteRoute), &left)
    }
    for link in snapshot.links where link.kind == "tun" && TunnelState.isOurs(link) {
      if adoption.devices[link.name] == link.alias { continue }
      if remove([.deleteLink(link.name)], &left) == 1 { left.devices.append(link.name) }
    }
    // The far end and its namespace went with the process; what stays is a cable whose end somebody holds.
    for link in snapshot.links where ProbeDevice.isOurs(link) {
      if remove([.deleteLink(link.name)], &left) == 1 { left.devices.append(link.name) }
    }
    if !adoption.keepsNetwork {
      // Forwarding goes back before the guard goes.
      let (restored, failures) = restoreSettings(except: [])
      left.settings = restored
      left.failures += failures.map(\.fault)
      do throws(Fault) {
        left.hadRuleset = try removeRuleset(within: limit)
      } catch {
        left.failures.append(error)
      }
      left.resolvers = names.withdraw(within: limit)
      // A complaint, not a success: the owner must know what stays.
      for message in names.takeMessages() where message.level <= .warning {
        left.failures.append(Fault(.networkPlanFailed, message.text))
      }
    }
    return left
  }

  /// - Returns: how many went.
  private func remove(_ changes: [NetlinkChange], _ left: inout Leftovers) -> Int {
    let failures = netlink.perform(changes).compactMap { $0 }
    left.failures += failures.map { Fault(.networkPlanFailed, "\($0)") }
    return changes.count - failures.count
  }
}
