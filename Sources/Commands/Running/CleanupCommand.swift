import Base
import ConfigDirectory
import Glibc
import Hands
import IO
import Settings

/// `adit cleanup` and `adit disarm`: with no daemon running, removes everything of ours from the kernel.
package enum CleanupCommand {
  package static func run(configPath: String?, stateDirectory: String, verb: String = "cleanup") -> ExitCode {
    guard geteuid() == 0 else { return fail(.noPermission, "\(verb) needs root") }
    do throws(NamespaceLock.Failure) {
      let lock = try NamespaceLock()
      let code = sweep(configPath: configPath, stateDirectory: stateDirectory, verb: verb)
      // Held until here, so that no daemon starts in the middle.
      _ = consume lock
      return code
    } catch {
      switch error {
      case .taken: return fail(.unavailable, "a daemon runs here; stop it first")
      case .system(let failure): return fail(.failure, failure.description)
      }
    }
  }

  private static func sweep(configPath: String?, stateDirectory: String, verb: String) -> ExitCode {
    let first = ConfigurationDirectory.load(path: configPath).settings.globals.rulePriority
    do throws(Fault) {
      let left = try Hands(stateDirectory: stateDirectory).sweep(band: first...first + ruleBand - 1)
      Terminal.say(
        left.isEmpty ? "nothing to \(verb == "disarm" ? verb : "remove")\n" : left.lines.joined(separator: "\n") + "\n")
      return left.failures.isEmpty ? .ok : .failure
    } catch {
      return fail(.failure, error.sentence)
    }
  }

  /// Priorities from the first on that our rules may have.
  private static let ruleBand: UInt32 = 100

  private static func fail(_ code: ExitCode, _ text: String) -> ExitCode {
    Terminal.complain("adit: \(text)\n")
    return code
  }
}
