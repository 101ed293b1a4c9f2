package import Crypto
package import IO

/// The sandboxed process of one tunnel: keys, packets and everything that a stranger can send.
package enum Engine {
  /// The socketpair to the supervisor, put there by whoever started us.
  private static let supervisor: Int32 = 3

  /// The hidden verb `engine UID`.
  ///
  /// - Parameter arguments: behind the verb.
  /// - Returns: the exit code; people never see it, the supervisor tells them.
  package static func main(_ arguments: [String]) -> Int32 {
    guard arguments.count == 1, let user = UInt32(arguments[0]), user != 0 else { return fail("usage: engine UID", 64) }
    SignalSource.ignoreBrokenPipes()
    do throws(SystemFailure) {
      // Before the door closes: the resolver wants to read random bytes once.
      var loop = try EngineLoop(supervisor: FileDescriptor(owning: supervisor), random: .system)
      try Sandbox.enter(user: user)
      switch loop.run() {
      case .quit, .supervisorEnded: return 0
      case .broken(let reason): return fail(reason, 70)
      }
    } catch {
      return fail(error.description, 71)
    }
  }

  /// Why an engine ended.
  package enum Ending: Hashable, Sendable {
    /// Told to.
    case quit
    case supervisorEnded
    case broken(String)
  }

  /// Serves a supervisor without a sandbox, on the calling thread: what `main` does behind its door.
  package static func serve(
    supervisor: consuming FileDescriptor, random: RandomSource
  ) throws(SystemFailure) -> Ending {
    var loop = try EngineLoop(supervisor: supervisor, random: random)
    return loop.run()
  }

  private static func fail(_ reason: String, _ code: Int32) -> Int32 {
    StandardError.write(line: "adit engine: \(reason)")
    return code
  }
}
