package import Base
package import Gateway
import Netlink

extension Hands {
  /// What decides about a packet now beside the plan, with what the timed sets hold.
  /// - Parameters:
  ///   - plan: what stands.
  ///   - withNames: the sets of names too, which may hold many thousand addresses.
  package func standing(of plan: NetworkPlan, withNames: Bool) throws(Fault) -> Standing {
    do throws(NetlinkFailure) {
      var live: LiveSets = [:]
      for set in plan.table?.sets ?? [] {
        guard case .timed(let timed) = set.elements else { continue }
        switch timed {
        case .names, .notNames: if !withNames { continue }
        case .pass, .openLAN, .openRouter: break
        }
        let elements = try FirewallTable.elements(of: set.name.text, in: Firewall.table)
        live[set.name] = Dictionary(
          elements.compactMap { element in Self.value(element.key, timed.key).map { ($0, element.timeout) } },
          uniquingKeysWith: { first, _ in first })
      }
      return Standing(snapshot: try netlink.snapshot(), neighbours: try netlink.neighbours(), live: live)
    } catch {
      throw Fault(.networkPlanFailed, "\(error)")
    }
  }

  /// NFPROTO_IPV4 and NFPROTO_IPV6 of linux/netfilter.h.
  private static let families: [UInt8: AddressFamily] = [2: .ipv4, 10: .ipv6]

  private static func value(_ key: [UInt8], _ kind: TimedSet.Key) -> TimedElement.Value? {
    switch kind {
    case .address: IPAddress(bytes: key).map { .address($0) }
    case .device: DeviceName(String(decoding: key.prefix { $0 != 0 }, as: UTF8.self)).map { .device($0) }
    case .family: key.first.flatMap { families[$0] }.map { .family($0) }
    }
  }
}
