package import Base
package import Control

/// What one command line asks for.
package enum Command: Hashable, Sendable {
  /// `nil` = the overview.
  case help(verb: String?)
  case run(DaemonOptions)
  case check(CheckRequest)
  case plan(PlanRequest)
  case status(tunnel: String?, asJSON: Bool, stateDirectory: String)
  case tell(Request, stateDirectory: String)
  case arm(configPath: String?, stateDirectory: String)
  /// - `span`: how long; `nil` = until somebody arms it again.
  case disarm(span: Duration?, configPath: String?, stateDirectory: String)
  case pass(PassRequest)
  case cleanup(configPath: String?, stateDirectory: String)
  case explain(ExplainRequest)
  case doctor(configPath: String?, stateDirectory: String, asJSON: Bool)
  case prove(ProveRequest)
  case version(asJSON: Bool)
}

package struct CheckRequest: Hashable, Sendable {
  package enum Table: String, Hashable, Sendable, CaseIterable { case options, keys, errors }

  package var configPath: String?
  /// When there are any, they are checked instead of the configuration.
  package var profiles: [String] = []
  package var credentialsPath: String?
  package var options: [String] = []
  /// Print this instead of checking.
  package var table: Table?
  package var asJSON = false

  package init() {}
}

package struct PlanRequest: Hashable, Sendable {
  package var configPath: String?
  package var stateDirectory: String
  /// The only tunnel to plan for; `nil` = all.
  package var tunnel: String?
  /// Print the steps from the system as it is instead of the plan.
  package var asDifference: Bool

  package init(
    configPath: String? = nil, stateDirectory: String = DaemonOptions.standardStateDirectory, tunnel: String? = nil,
    asDifference: Bool = false
  ) {
    self.configPath = configPath
    self.stateDirectory = stateDirectory
    self.tunnel = tunnel
    self.asDifference = asDifference
  }
}

/// A device that may go out beside the tunnel for a time; without an address the list of them.
package struct PassRequest: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    case begin(IPAddress, Duration)
    case end(IPAddress)
  }

  /// What a pass takes when nothing is said.
  package static let standardSpan: Duration = .seconds(1_800)

  package var change: Change?
  package var asJSON = false

  package init(_ change: Change? = nil, asJSON: Bool = false) {
    self.change = change
    self.asJSON = asJSON
  }
}

package struct ExplainRequest: Hashable, Sendable {
  package var configPath: String?
  package var stateDirectory: String
  package var question: ExplainQuestion
  package var asJSON: Bool
  /// Every rule and route on the way too.
  package var isLong: Bool

  package init(
    configPath: String? = nil, stateDirectory: String = DaemonOptions.standardStateDirectory, question: ExplainQuestion,
    asJSON: Bool = false, isLong: Bool = false
  ) {
    self.configPath = configPath
    self.stateDirectory = stateDirectory
    self.question = question
    self.asJSON = asJSON
    self.isLong = isLong
  }
}

/// A command line that cannot be meant: one sentence, and where to read on.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  package var text: String
  package var verb: String?

  package var description: String {
    "adit: \(text)\n" + "try `adit \(verb.map { "\($0) " } ?? "")--help`\n"
  }
}
