package import Base
import ConfigDirectory
import Control
import IO

/// `adit check`.
package enum CheckCommand {
  package static func run(_ request: CheckRequest) -> ExitCode {
    if request.printsOptionTable {
      Terminal.print(request.asJSON ? OptionListing.json.line + "\n" : OptionListing.text)
      return .ok
    }
    let report = report(request, now: Clock.wallTime)
    Terminal.print(
      request.asJSON ? report.json.line + "\n" : CheckText.render(report, isColoured: Terminal.isColourful()))
    guard report.hasErrors else { return .ok }
    return request.profiles.isEmpty ? .badConfiguration : .badInput
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
