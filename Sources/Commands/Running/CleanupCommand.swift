import Base
import ConfigDirectory
import Glibc
import Hands
import IO
import Settings

/// `adit cleanup` and `adit disarm`: with no daemon running, removes everything of ours from the kernel.
package enum CleanupCommand {
  package static func run(configPath: String?, stateDirectory: String, verb: String = "cleanup") -> ExitCode {
    guard geteuid() == 0 else { return Terminal.fail(.noPermission, "\(verb) needs root") }
    do throws(NamespaceLock.Failure) {
      let lock = try NamespaceLock(patience: .seconds(1))
      let code = sweep(configPath: configPath, stateDirectory: stateDirectory, verb: verb)
      // Held until here, so that no daemon starts in the middle.
      _ = consume lock
      return code
    } catch {
      switch error {
      case .taken: return Terminal.fail(.unavailable, "a daemon runs here; stop it first")
      case .system(let failure): return Terminal.fail(.failure, failure.description)
      }
    }
  }

  private static func sweep(configPath: String?, stateDirectory: String, verb: String) -> ExitCode {
    let band = ConfigurationDirectory.load(path: configPath).settings.globals.ruleBand
    do throws(Fault) {
      let left = try Hands(stateDirectory: stateDirectory).sweep(band: band)
      Terminal.say(
        left.isEmpty ? "nothing to \(verb == "disarm" ? verb : "remove")\n" : left.lines.joined(separator: "\n") + "\n")
      return left.failures.isEmpty ? .ok : .failure
    } catch {
      return Terminal.fail(.failure, error.sentence)
    }
  }
}
