import Base
import ConfigDirectory
import Control
import Glibc
import IO
import Settings

/// `adit prove`: a device of the LAN made on the spot tries to get out, while every way out is listened to.
enum ProveCommand {
  static func run(_ request: ProveRequest) -> ExitCode {
    var report = ProveReport()
    do throws(ProveFailure) {
      guard geteuid() == 0 else { throw ProveFailure(.noPermission, "prove needs root") }
      let configuration = ConfigurationDirectory.load(path: request.configPath)
      let gateways = try gateways(of: configuration.settings, request)
      for gateway in gateways {
        let proof = try Proof(gateway, configuration, request)
        defer { proof.restore() }
        try proof.run(&report)
      }
    } catch {
      if request.asJSON, !report.rounds.isEmpty { Terminal.say(report.json.line + "\n") }
      Terminal.complain("adit: \(error.text)\n")
      return error.code
    }
    // Each round was told when it was over.
    Terminal.say(request.asJSON ? report.json.line + "\n" : report.end)
    return report.exitCode
  }

  private static func gateways(of settings: Settings, _ request: ProveRequest) throws(ProveFailure) -> [GatewaySettings]
  {
    guard !settings.gateways.isEmpty else {
      throw ProveFailure(.badConfiguration, "there is no gateway to prove; `adit check` says more")
    }
    guard let name = request.gateway else { return settings.gateways }
    let named = settings.gateways.filter { $0.name.text == name }
    guard named.isEmpty else { return named }
    let near = NearestName.of(name, in: settings.gateways.map(\.name.text))
    throw ProveFailure(.badInput, "there is no gateway `\(name)`" + (near.map { "; did you mean `\($0)`?" } ?? ""))
  }
}
