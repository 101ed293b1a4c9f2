import Base
package import ConfigDirectory
package import Gateway
import Glibc
import Hands
import IO
import Netlink
import Settings

/// `adit plan`: what a daemon would make of the configuration and of the system as it is, before any push.
package enum PlanCommand {
  package static func run(_ request: PlanRequest) -> ExitCode {
    var configuration = ConfigurationDirectory.load(path: request.configPath)
    let isColoured = Terminal.isColourful(2)
    for diagnostic in configuration.diagnostics where diagnostic.severity != .note {
      Terminal.complain(CheckText.line(diagnostic, isColoured: isColoured) + "\n")
    }
    if let name = request.tunnel, !configuration.tunnels.contains(where: { $0.settings.name.text == name }) {
      let near = NearestName.of(name, in: configuration.tunnels.map(\.settings.name.text))
      return Terminal.fail(.badInput, "there is no tunnel `\(name)`" + (near.map { "; did you mean `\($0)`?" } ?? ""))
    }
    let tunnels = narrow(&configuration, to: request.tunnel)
    if configuration.settings.gateways.isEmpty, tunnels.allSatisfy({ $0.profile == nil }) {
      return Terminal.fail(.badConfiguration, "there is nothing to plan; `adit check` says more")
    }
    guard geteuid() == 0 else { return Terminal.fail(.noPermission, "plan needs root, to see all of the system") }
    if isDaemonRunning {
      Terminal.complain("adit: a daemon runs here; this is the plan before any server has pushed anything\n")
    }
    return plan(configuration, tunnels, request)
  }

  /// Leaves only that tunnel and its gateways in the settings.
  /// - Returns: the tunnels as a daemon that starts has them, none up. Each keeps its place in the whole
  ///   configuration, from which its mark and its table follow.
  package static func narrow(_ configuration: inout LoadedConfiguration, to name: String?) -> [TunnelState] {
    let states = zip(1...0x7f, configuration.tunnels).map { index, tunnel in
      TunnelState(
        name: tunnel.settings.name, index: index, device: tunnel.settings.device, settings: tunnel.settings,
        profile: tunnel.profile, wantsDevice: tunnel.isValid && (tunnel.settings.isEnabled || name != nil))
    }
    guard let name else { return states }
    configuration.settings.tunnels.removeAll { $0.name.text != name }
    configuration.settings.gateways.removeAll { gateway in !gateway.tunnels.contains { $0.text == name } }
    return states.filter { $0.name.text == name }
  }

  private static func plan(
    _ configuration: LoadedConfiguration, _ tunnels: [TunnelState], _ request: PlanRequest
  ) -> ExitCode {
    do {
      let hands = try Hands(stateDirectory: request.stateDirectory)
      let answering = hands.names.facts(uplink: UplinkResolvers.find(bootstrap: [], pushed: []).map(\.address))
      let plan = Planner.plan(
        settings: configuration.settings, tunnels: tunnels, snapshot: try hands.netlink.snapshot(),
        resolver: answering)
      if request.asDifference {
        for remark in plan.remarks { Terminal.complain("adit: \(remark)\n") }
        var installed = try hands.installed(for: plan)
        installed.names = hands.names.installedLines(answering, plan.nameService)
        Terminal.say(Difference.text(from: installed, to: plan) + "\n")
      } else {
        Terminal.say(plan.text + "\n" + (plan.ruleset.map { "\n" + $0 } ?? ""))
      }
      return .ok
    } catch let fault as Fault {
      return Terminal.fail(.failure, fault.sentence)
    } catch {
      return Terminal.fail(.failure, "\(error)")
    }
  }

  /// Takes the lock for no longer than the look.
  private static var isDaemonRunning: Bool {
    do throws(NamespaceLock.Failure) {
      _ = try NamespaceLock()
      return false
    } catch {
      return error == .taken
    }
  }
}
