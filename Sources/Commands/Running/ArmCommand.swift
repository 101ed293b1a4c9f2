import Base
import ConfigDirectory
package import Gateway
import Glibc
import Hands
import IO
import Netlink
package import Settings

/// `adit arm`: closes the gateways of `kill_switch 'always'` and ends; what it made holds with no process alive.
package enum ArmCommand {
  /// Other programs load their tables at boot too.
  private static let limit: Duration = .seconds(10)

  package static func run(configPath: String?, stateDirectory: String) -> ExitCode {
    guard geteuid() == 0 else { return Terminal.fail(.noPermission, "arm needs root") }
    let wasOpen: Bool
    do throws(Fault) {
      wasOpen = try OpenCommand.close()
    } catch {
      return Terminal.fail(.failure, error.sentence)
    }
    do throws(NamespaceLock.Failure) {
      let lock = try NamespaceLock()
      let code = arm(configPath: configPath, stateDirectory: stateDirectory)
      // Held until here, so that no daemon starts in the middle.
      _ = consume lock
      return code
    } catch {
      switch error {
      case .taken where wasOpen:
        Terminal.say("closed again\n")
        return .ok
      case .taken: return Terminal.fail(.unavailable, "a daemon runs here, and the kill switch is its own")
      case .system(let failure): return Terminal.fail(.failure, failure.description)
      }
    }
  }

  private static func arm(configPath: String?, stateDirectory: String) -> ExitCode {
    var configuration = ConfigurationDirectory.load(path: configPath)
    let isColoured = Terminal.isColourful(2)
    for diagnostic in configuration.diagnostics where diagnostic.severity == .error {
      Terminal.complain(CheckText.line(diagnostic, isColoured: isColoured) + "\n")
    }
    guard configuration.settings.gateways.contains(where: { $0.killSwitch == .always }) else {
      let words = "nothing to arm: no gateway that can be read has `kill_switch 'always'`"
      return Terminal.fail(.badConfiguration, words + "; what was closed stays closed")
    }
    let tunnels = PlanCommand.narrow(&configuration, to: nil)
    do {
      let hands = try Hands(stateDirectory: stateDirectory)
      if configuration.isIncomplete, hands.hasRuleset {
        return Terminal.fail(
          .badConfiguration, "not all of it can be read, and a gateway may be missing; all stays as it is")
      }
      let snapshot = try hands.netlink.snapshot()
      let isAfterCrash = snapshot.links.contains(where: TunnelState.isOurs)
      let plan = Planner.armed(
        settings: configuration.settings, tunnels: tunnels, snapshot: snapshot, holdsSessions: isAfterCrash)
      let failures = try hands.applyNow(plan, within: limit)
      for failure in failures { Terminal.complain("adit: \(failure.fault.sentence)\n") }
      guard failures.isEmpty else { return Terminal.fail(.failure, "not all of it could be done") }
      Terminal.say(words(plan, configuration.settings) + "\n")
      return .ok
    } catch let fault as Fault {
      return Terminal.fail(.failure, fault.sentence)
    } catch {
      return Terminal.fail(.failure, "\(error)")
    }
  }

  /// What is closed, in one line.
  package static func words(_ plan: NetworkPlan, _ settings: Settings) -> String {
    let gateways = plan.gateways.compactMap { facts in settings.gateways.first { $0.name == facts.name } }
    let parts = gateways.map { gateway in
      let devices = gateway.lan.map(\.text) + (gateway.scope == .all ? ["the router itself"] : [])
      return "\(gateway.name) (\(devices.joined(separator: ", ")))"
    }
    return "armed: " + parts.joined(separator: "; ")
  }
}
