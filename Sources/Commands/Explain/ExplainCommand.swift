import Base
import ConfigDirectory
import Control
import Gateway
import Glibc
import Hands
import IO
import Netlink
import Profile
import Settings

/// `adit explain`: which rule decides where the packets of a device go. A running daemon answers from its own plan; without
/// one the configuration does, and what is armed.
package enum ExplainCommand {
  package static func run(_ request: ExplainRequest) -> ExitCode {
    switch ControlClient.ask(.explain(request.question), stateDirectory: request.stateDirectory) {
    case .success(.explanation(let explanation)): return show(explanation, request)
    case .success(.refused(let refusal)):
      Terminal.complain("adit: \(StatusText.printable(refusal.text))\n")
      return StatusCommand.exitCode(of: refusal.code)
    case .success: return Terminal.fail(.failure, "the daemon gave no explanation")
    case .failure(.notRunning): return alone(request)
    case .failure(let failure): return Terminal.fail(failure.exitCode, failure.text)
    }
  }

  private static func show(_ explanation: Explanation, _ request: ExplainRequest) -> ExitCode {
    Terminal.say(
      request.asJSON ? explanation.json.line + "\n" : ExplainText.render(explanation, isLong: request.isLong))
    return .ok
  }

  private static func alone(_ request: ExplainRequest) -> ExitCode {
    let question = request.question
    switch Inquiry.read(
      source: question.source, destination: question.destination, transport: question.transport, port: question.port)
    {
    case .failure(let problem): return Terminal.fail(.badInput, problem.text)
    case .success(let inquiry):
      guard geteuid() == 0 else { return Terminal.fail(.noPermission, "explain needs root, to see all of the system") }
      var configuration = ConfigurationDirectory.load(path: request.configPath)
      for diagnostic in configuration.diagnostics where diagnostic.severity == .error {
        Terminal.complain(CheckText.line(diagnostic, isColoured: Terminal.isColourful(2)) + "\n")
      }
      let tunnels = PlanCommand.narrow(&configuration, to: nil)
      do {
        return show(try explain(inquiry, configuration, tunnels, request.stateDirectory), request)
      } catch let problem as Explanation.Problem {
        return Terminal.fail(.badInput, problem.text)
      } catch let fault as Fault {
        return Terminal.fail(.failure, fault.sentence)
      } catch {
        return Terminal.fail(.failure, "\(error)")
      }
    }
  }

  private static func explain(
    _ inquiry: Inquiry, _ configuration: LoadedConfiguration, _ tunnels: [TunnelState], _ stateDirectory: String
  ) throws -> Explanation {
    let hands = try Hands(stateDirectory: stateDirectory)
    let snapshot = try hands.netlink.snapshot()
    let settings = configuration.settings
    let isArmed = hands.hasRuleset
    let isAfterCrash = isArmed && snapshot.links.contains(where: TunnelState.isOurs)
    var explanation = Explanation(
      situation: isAfterCrash
        ? "no daemon runs; one ended without a stop, and what it made stands"
        : isArmed ? "no daemon runs; what is armed is closed" : "no daemon runs, and nothing is armed")
    let plan =
      isAfterCrash
      ? Planner.plan(settings: settings, tunnels: tunnels.map { $0.asLeft(in: snapshot) }, snapshot: snapshot)
      : isArmed ? Planner.armed(settings: settings, tunnels: tunnels, snapshot: snapshot) : NetworkPlan()
    let standing = try hands.standing(of: plan, withNames: inquiry.needsNames)
    let now = try Explainer.answers(inquiry, in: Scene(settings: settings, plan: plan, in: standing)).get()
    explanation.answers = isAfterCrash ? now.map(\.withoutReader) : now
    let later = Planner.plan(settings: settings, tunnels: tunnels.map(\.asIfUp), snapshot: snapshot)
    let scene = Scene(settings: settings, plan: later, in: standing)
    explanation.withTunnels = try Explainer.answers(inquiry, in: scene).get()
    return explanation
  }
}

extension Explanation.Answer {
  /// A device whose daemon is gone takes packets, and nobody reads them.
  fileprivate var withoutReader: Explanation.Answer {
    guard way == .tunnel else { return self }
    var answer = self
    answer.way = .blocked
    answer.reason += ": what goes into \(output ?? "the tunnel") is lost, its daemon is gone"
    return answer
  }
}

extension TunnelState {
  /// As its server would have it, were it up: an address of each family, and nothing pushed beyond that.
  fileprivate var asIfUp: TunnelState {
    guard profile != nil, wantsDevice else { return self }
    var state = self
    var push = PushedOptions()
    // Of the ranges that are kept for tunnels and for nobody (RFC 7335, RFC 6666).
    push.tunnel.topology = .subnet
    push.tunnel.ipv4 = TunnelOptions.IPv4Configuration(
      local: IPv4Address(192, 0, 0, 2), second: IPv4Address.netmask(29))
    push.tunnel.ipv6 = IPPrefix(.v6(IPv6Address(high: 0x0100_0000_0000_0000, low: 2)), length: 64).map {
      TunnelOptions.IPv6Configuration(prefix: $0, remote: nil)
    }
    state.pushed = push
    state.isUp = true
    return state
  }

  /// As a daemon left it that ended without a stop: with the addresses that its device still has.
  fileprivate func asLeft(in snapshot: Snapshot) -> TunnelState {
    let prefixes = snapshot.addresses.filter { $0.device == device && !$0.prefix.address.isLinkLocal }.map(\.prefix)
    guard profile != nil, wantsDevice, !prefixes.isEmpty, snapshot.link(named: device)?.alias == alias else {
      return self
    }
    var state = self
    var push = PushedOptions()
    push.tunnel.topology = .subnet
    for prefix in prefixes {
      if case .v4(let address) = prefix.address {
        push.tunnel.ipv4 = TunnelOptions.IPv4Configuration(
          local: address, second: IPv4Address.netmask(prefix.length))
      } else {
        push.tunnel.ipv6 = TunnelOptions.IPv6Configuration(prefix: prefix, remote: nil)
      }
    }
    state.pushed = push
    state.isUp = true
    return state
  }
}
