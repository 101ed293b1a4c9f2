import Base
package import Control
import Gateway
import IO
import Netlink

/// `adit status`, `up`, `down`, `pause`, `resume`, `reconnect`, `use`.
package enum StatusCommand {
  package static func status(tunnel: String?, asJSON: Bool, stateDirectory: String) -> ExitCode {
    switch ControlClient.ask(.status(tunnel: tunnel), stateDirectory: stateDirectory) {
    case .success(.status(let report)):
      let wall = Clock.wallTime
      let words = { () in
        StatusText.render(report, now: wall, isColoured: Terminal.isColourful()) { LocalClock.text($0, now: wall) }
      }
      Terminal.say(asJSON ? report.json.line + "\n" : words())
      return .ok
    case .success(.refused(let refusal)): return refuse(refusal)
    case .success(.done), .success(.said), .success(.explanation): return fail(.broken("the daemon gave no status"))
    case .failure(let failure):
      let code = fail(failure)
      // Only root may look at the firewall; others are told of the daemon alone.
      if case .notRunning = failure, (try? FirewallTable.exists(NetworkPlan.table.text)) ?? false {
        Terminal.complain("what leaves the LANs stays closed: armed; `adit disarm` opens\n")
      }
      return code
    }
  }

  package static func tell(_ request: Request, stateDirectory: String) -> ExitCode {
    switch ControlClient.ask(request, stateDirectory: stateDirectory) {
    case .success(.refused(let refusal)): return refuse(refusal)
    case .success(.said(let text)):
      Terminal.say(StatusText.printable(text) + "\n")
      return .ok
    case .success: return .ok
    case .failure(let failure): return fail(failure)
    }
  }

  private static func fail(_ failure: ControlClient.Failure) -> ExitCode {
    Terminal.complain("adit: \(failure.text)\n")
    return failure.exitCode
  }

  private static func refuse(_ refusal: Reply.Refusal) -> ExitCode {
    Terminal.complain("adit: \(StatusText.printable(refusal.text))\n")
    return exitCode(of: refusal.code)
  }

  package static func exitCode(of code: Reply.Refusal.Code) -> ExitCode {
    switch code {
    case .unknownTunnel, .unknownRemote, .unknownDevice: .badInput
    case .invalidTunnel: .badConfiguration
    case .notAllowed: .noPermission
    case .busy, .notNow: .unavailable
    case .badRequest: .failure
    }
  }
}
