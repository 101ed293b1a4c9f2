package import Control

/// From the words of the command line to the exit code.
package enum CommandRunner {
  /// - Parameters:
  ///   - words: without the program's name.
  ///   - daemon: runs the daemon until its end, for `run` and `connect`.
  package static func run(_ words: [String], daemon: (DaemonOptions, LogOutput) -> Int32) -> Int32 {
    switch CommandLineParser.parse(words) {
    case .failure(let error):
      Terminal.complain(error.description)
      return ExitCode.usage.rawValue
    case .success(.run(let options)): return daemon(options, LogOutput(usesSyslog: options.usesSyslog))
    case .success(let command): return answer(command).rawValue
    }
  }

  private static func answer(_ command: Command) -> ExitCode {
    switch command {
    case .help(let verb):
      Terminal.say(verb.flatMap(CommandTable.verb(named:)).map(HelpText.of) ?? HelpText.overview)
      return .ok
    case .check(let request): return CheckCommand.run(request)
    case .plan(let request): return PlanCommand.run(request)
    case .status(let tunnel, let asJSON, let stateDirectory):
      return StatusCommand.status(tunnel: tunnel, asJSON: asJSON, stateDirectory: stateDirectory)
    case .tell(let request, let stateDirectory): return StatusCommand.tell(request, stateDirectory: stateDirectory)
    case .arm(let configPath, let stateDirectory):
      return ArmCommand.run(configPath: configPath, stateDirectory: stateDirectory)
    case .disarm(let span?, _, _): return OpenCommand.run(for: span)
    case .disarm(nil, let configPath, let stateDirectory):
      return CleanupCommand.run(configPath: configPath, stateDirectory: stateDirectory, verb: "disarm")
    case .pass(let request): return PassCommand.run(request)
    case .cleanup(let configPath, let stateDirectory):
      return CleanupCommand.run(configPath: configPath, stateDirectory: stateDirectory)
    case .explain(let request): return ExplainCommand.run(request)
    case .doctor(let configPath, let stateDirectory, let asJSON):
      return DoctorCommand.run(configPath: configPath, stateDirectory: stateDirectory, asJSON: asJSON)
    case .prove(let request): return ProveCommand.run(request)
    case .version(let asJSON): return VersionCommand.run(asJSON: asJSON)
    case .run: preconditionFailure("the daemon has been run already")
    }
  }
}
