package import Base
import ConfigDirectory
import Control
import IO
import Settings

/// `adit check`.
package enum CheckCommand {
  package static func run(_ request: CheckRequest) -> ExitCode {
    if let table = request.table {
      Terminal.say(text(of: table, asJSON: request.asJSON))
      return .ok
    }
    let report = report(request, now: Clock.wallTime)
    Terminal.say(
      request.asJSON ? report.json.line + "\n" : CheckText.render(report, isColoured: Terminal.isColourful()))
    guard report.hasErrors else { return .ok }
    return request.profiles.isEmpty ? .badConfiguration : .badInput
  }

  private static func text(of table: CheckRequest.Table, asJSON: Bool) -> String {
    switch table {
    case .options: asJSON ? OptionListing.json.line + "\n" : OptionListing.text
    case .keys: ConfigurationDocument.text
    case .errors: FaultDocument.text
    }
  }

  package static func report(_ request: CheckRequest, now: WallTime) -> CheckReport {
    let configurations =
      request.profiles.isEmpty
      ? [ConfigurationDirectory.load(path: request.configPath)]
      : request.profiles.map {
        ConfigurationDirectory.loadProfile(
          path: $0, options: request.options, credentialsFile: request.credentialsPath)
      }
    return CheckReport(configurations, now: now)
  }
}
