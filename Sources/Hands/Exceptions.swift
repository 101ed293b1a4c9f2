package import Base
package import Gateway
package import Netlink

/// What stands open beside the tunnels for a time, as the kernel counts it; with or without a daemon.
package struct Exceptions: Hashable, Sendable {
  package struct Pass: Hashable, Sendable {
    package var address: IPAddress
    package var left: Duration

    package init(address: IPAddress, left: Duration) {
      self.address = address
      self.left = left
    }
  }

  /// Devices that go out by the WAN.
  package var passes: [Pass] = []
  /// LAN devices that `adit disarm --for` opened, each with the time it has left.
  package var openLAN: [DeviceName: Duration] = [:]
  /// The same for the router's own packets.
  package var openRouter: [AddressFamily: Duration] = [:]

  package init() {}

  package var isOpen: Bool { !openLAN.isEmpty || !openRouter.isEmpty }

  /// As the kernel has them now; what has no end is none of ours.
  package static func read() throws(Fault) -> Exceptions {
    do throws(NetlinkFailure) {
      var exceptions = Exceptions()
      for family in AddressFamily.allCases {
        for element in try elements(.pass(family)) {
          guard let address = IPAddress(bytes: element.key), let left = element.timeout else { continue }
          exceptions.passes.append(Pass(address: address, left: left))
        }
      }
      exceptions.passes.sort { $0.address < $1.address }
      for element in try elements(.openLAN) {
        guard let device = element.device, let left = element.timeout else { continue }
        exceptions.openLAN[device] = left
      }
      for element in try elements(.openRouter) {
        guard let family = element.family, let left = element.timeout else { continue }
        exceptions.openRouter[family] = left
      }
      return exceptions
    } catch {
      throw Fault(.firewallFailed, "\(error)")
    }
  }

  /// LAN devices whose gateway is armed now; `nil` when none is, `[]` when only the router itself is.
  package static func armedDevices() throws(Fault) -> [DeviceName]? {
    try devices(in: NetworkPlan.armedSet.text)
  }

  /// The LAN devices that our table knows; `nil` when it does not stand.
  package static func lanDevices() throws(Fault) -> [DeviceName]? { try devices(in: NetworkPlan.lanSet.text) }

  private static func devices(in set: String) throws(Fault) -> [DeviceName]? {
    do throws(NetlinkFailure) {
      guard try FirewallTable.exists(Firewall.table, set: set) else { return nil }
      return try FirewallTable.elements(of: set, in: Firewall.table).compactMap(\.device).sorted()
    } catch {
      throw Fault(.firewallFailed, "\(error)")
    }
  }

  private static func elements(_ set: TimedSet) throws(NetlinkFailure) -> [FirewallTable.Element] {
    try FirewallTable.elements(of: set.name.text, in: Firewall.table)
  }

  /// For the planner.
  package var openings: Openings { Openings(lan: Set(openLAN.keys), router: Set(openRouter.keys)) }

  /// Until the first of what is open closes.
  package var leftOpen: Duration? { (Array(openLAN.values) + openRouter.values).min() }

  /// Elements that end what is open.
  package var closing: [TimedElement] {
    openLAN.keys.compactMap { TimedElement(set: .openLAN, value: .device($0)) }
      + openRouter.keys.compactMap { TimedElement(set: .openRouter, value: .family($0)) }
  }
}

extension FirewallTable.Element {
  /// In a set of devices.
  package var device: DeviceName? { DeviceName(String(decoding: key.prefix { $0 != 0 }, as: UTF8.self)) }

  /// The numbers of `enum nf_inet_…` in linux/netfilter.h: NFPROTO_IPV4 and NFPROTO_IPV6.
  fileprivate var family: AddressFamily? {
    switch key.first {
    case 2: .ipv4
    case 10: .ipv6
    default: nil
    }
  }
}
