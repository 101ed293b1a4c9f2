import Base
package import Control
import Glibc
import IO

/// Asks the running daemon one thing.
package enum ControlClient {
  package enum Failure: Error, Hashable, Sendable {
    case notRunning(path: String)
    case notAllowed(path: String)
    case broken(String)

    package var exitCode: ExitCode {
      switch self {
      case .notRunning: .unavailable
      case .notAllowed: .noPermission
      case .broken: .failure
      }
    }

    package var text: String {
      switch self {
      case .notRunning(let path): "no daemon answers at \(path): is `adit run` running?"
      case .notAllowed(let path): "\(path) may only be used by root and its group"
      case .broken(let text): text
      }
    }
  }

  /// The daemon answers from memory; a longer silence means that it hangs.
  private static let patience: Duration = .seconds(5)

  package static func ask(_ request: Request, stateDirectory: String) -> Result<Reply, Failure> {
    let path = DaemonOptions(stateDirectory: stateDirectory).controlSocketPath
    do {
      let connection = try ControlConnection(path: path)
      let deadline = Clock.now + patience
      guard try connection.sendAll(request.bytes, until: deadline), let line = try connection.nextLine(until: deadline)
      else { return .failure(.broken("the daemon does not answer")) }
      return Reply.read(line).map { .success($0) }
        ?? .failure(.broken("the daemon is of another version; restart it"))
    } catch {
      switch error.number {
      case ENOENT, ECONNREFUSED, ENOTDIR: return .failure(.notRunning(path: path))
      case EACCES, EPERM: return .failure(.notAllowed(path: path))
      default: return .failure(.broken(error.description))
      }
    }
  }
}
