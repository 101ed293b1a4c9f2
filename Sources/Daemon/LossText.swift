import Base
import Gateway
package import Hands
package import Netlink

/// What the log says of things of ours that somebody else took away or changed.
package enum LossText {
  /// `nft (pid 123) removed rules of our nft table: restored`.
  package static func words(_ change: FirewallChange) -> String {
    let process = change.process.map { " (pid \($0))" } ?? ""
    let who = change.program.map { $0 + process } ?? "another program\(process)"
    return "\(who) \(deed(change)): restored"
  }

  /// What was done, by which lines of the same kind are told apart.
  package static func deed(_ change: FirewallChange) -> String {
    change.deletesTable && change.added == 0
      ? "removed our nft table"
      : change.removed > 0 && change.added == 0 ? "removed parts of our nft table" : "changed our nft table"
  }

  /// A line for each kind of thing, and the kind.
  package static func lines(_ losses: [Loss]) -> [(kind: String, text: String)] {
    var counts: [(name: String, count: Int)] = []
    var lines: [(kind: String, text: String)] = []
    // What a device takes along when it goes, the kernel does by itself.
    let devices = losses.compactMap { loss in
      if case .setLink(let device) = loss.step { device.name } else { nil }
    }
    for loss in losses where !devices.contains(where: { hangs(loss.step, on: $0) }) {
      switch loss.step {
      case .setSysctl(let sysctl):
        let now = loss.found.map { " (was set to \($0) by another program)" } ?? ""
        lines.append((sysctl.path, "\(sysctl.path) is set to \(sysctl.value) again\(now)"))
      case .setLink(let device):
        lines.append(
          ("link \(device.name)", "the device \(device.name) was changed or removed by another program: restored"))
      default:
        guard let name = noun(loss.step) else { continue }
        if let place = counts.firstIndex(where: { $0.name == name }) {
          counts[place].count += 1
        } else {
          counts.append((name, 1))
        }
      }
    }
    return lines
      + counts.map { name, count in
        let number =
          count == 1 ? "one \(name) of ours was" : "\(count) \(name)\(name.hasSuffix("s") ? "e" : "")s of ours were"
        // A route goes with its device and its address too.
        return (name, "\(number) \(name == "rule" ? "removed by another program" : "gone"): restored")
      }
  }

  private static func hangs(_ step: Step, on device: DeviceName) -> Bool {
    switch step {
    case .addRoute(let route): route.device == device
    case .addAddress(let address): address.device == device
    case .setSysctl(let sysctl): sysctl.path.contains("/\(device)/")
    default: false
    }
  }

  private static func noun(_ step: Step) -> String? {
    switch step {
    case .addRule: "rule"
    case .addRoute: "route"
    case .addAddress: "address"
    default: nil
    }
  }
}
