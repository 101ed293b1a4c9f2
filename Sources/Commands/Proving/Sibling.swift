import Base
import Gateway
import Netlink

/// Makes the kernel treat a device as it treats another, by what stands now, holes and all.
///
/// Without a daemon to arm anew would mend what is to be proved.
struct Sibling {
  private static let table = NetworkPlan.table.text
  /// IFNAMSIZ: how nf_tables keeps a device's name.
  private static let nameLength = 16

  private let device: DeviceName
  private var sets: [String] = []
  private var rules: [Rule] = []

  /// - Parameters:
  ///   - nets: of the new device; the router answers it there.
  ///   - isPlanned: a daemon plans for it: only what stands for a time, `adit disarm --for` say, is still to be shared.
  init(
    _ device: DeviceName, of other: DeviceName, nets: [IPPrefix], isPlanned: Bool, _ netlink: NetlinkSocket
  ) throws(NetlinkFailure) {
    self.device = device
    let snapshot = try netlink.snapshot()
    do throws(NetlinkFailure) {
      for set in try FirewallTable.contents(of: Self.table)?.sets ?? [] where !set.isMap && !set.isAnonymous {
        guard set.keyLength == Self.nameLength, set.isTimed || !isPlanned,
          var element = try FirewallTable.elements(of: set.name, in: Self.table).first(where: {
            $0.key == Self.key(other)
          })
        else { continue }
        element.key = Self.key(device)
        if try FirewallTable.add([element], to: set.name, in: Self.table) { sets.append(set.name) }
      }
      if isPlanned { return }
      // Armed before the network came up, no net of the house is known.
      let isKnown = snapshot.routes.contains { $0.table == RoutingTables.local && $0.device == other }
      for net in isKnown ? nets : [] {
        try netlink.perform(.addRoute(Route(destination: net.network, device: device, table: RoutingTables.local)))
      }
      for rule in snapshot.rules where rule.origin == Route.ours && rule.inputDevice == other {
        var rule = rule
        rule.inputDevice = device
        try netlink.perform(.addRule(rule))
        rules.append(rule)
      }
    } catch {
      remove(netlink)
      throw error
    }
  }

  /// Its routes go with the device.
  func remove(_ netlink: NetlinkSocket) {
    _ = netlink.perform(rules.map(NetlinkChange.deleteRule))
    let element = FirewallTable.Element(key: Self.key(device))
    // A set that is gone by now needs nothing taken out.
    for set in sets { _ = try? FirewallTable.remove([element], from: set, in: Self.table) }
  }

  private static func key(_ device: DeviceName) -> [UInt8] {
    let bytes = Array(device.text.utf8)
    return bytes + [UInt8](repeating: 0, count: max(nameLength - bytes.count, 0))
  }
}
