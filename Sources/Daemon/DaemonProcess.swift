package import Base
internal import ConfigDirectory
package import Control
internal import Gateway
internal import IO
internal import Settings
internal import Supervisor

/// `adit run` and `adit connect`: from the options to the exit code.
package enum DaemonProcess {
  /// Exit codes of sysexits(3).
  private enum Exit {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let badInput: Int32 = 65
    static let unavailable: Int32 = 69
    static let noPermission: Int32 = 77
    static let badConfiguration: Int32 = 78

    /// Of a profile that was not connected when it was ended.
    static func code(of verdict: Verdict) -> Int32 {
      switch verdict.layer {
      case .configuration: badConfiguration
      case .auth: noPermission
      default: unavailable
      }
    }
  }

  /// - Parameters:
  ///   - write: gets every finished log line.
  package static func run(_ options: DaemonOptions, write: @escaping (Note.Level, String) -> Void) -> Int32 {
    // Taken out of the environment before anything else is started.
    let notifySocket = NotifySocket.takeFromEnvironment()
    let configuration = Daemon.load(options)
    let log = LogSink(level: configuration.settings.globals.logLevel, write: write)
    func fail(_ code: Int32, _ text: String) -> Int32 {
      log.log(.error, text, at: Clock.now)
      return code
    }
    Daemon.report(configuration.diagnostics, to: log, at: Clock.now)
    // A gateway whose tunnels are all broken still keeps its LAN closed.
    if configuration.tunnels.isEmpty, configuration.settings.gateways.isEmpty {
      return fail(Exit.badConfiguration, "there is no tunnel to run; `adit check` says more")
    }
    if options.connect != nil, configuration.tunnels.allSatisfy({ !$0.isValid }) {
      return fail(Exit.badInput, "the profile has errors; nothing was changed")
    }
    guard Privileges.user == 0 else {
      return fail(Exit.noPermission, "root is needed, for the tun device and the routes")
    }
    do throws(NamespaceLock.Failure) {
      let lock = try NamespaceLock()
      return serve(options, configuration, log: log, notifySocket, lock)
    } catch {
      switch error {
      case .taken: return fail(Exit.unavailable, "another adit already runs in this network")
      case .system(let failure): return fail(Exit.failed, "\(failure)")
      }
    }
  }

  private static func serve(
    _ options: DaemonOptions, _ configuration: LoadedConfiguration, log: LogSink, _ notifySocket: NotifySocket?,
    _ lock: borrowing NamespaceLock
  ) -> Int32 {
    do throws(SystemFailure) {
      try TextFile.makeDirectory(options.stateDirectory, mode: 0o755)
    } catch {
      let words = "the state directory cannot be made (\(error)); `--state-dir` chooses another"
      log.log(.error, words, at: Clock.now)
      return Exit.failed
    }
    do {
      let network = try NetworkKeeper(stateDirectory: options.stateDirectory, log: log)
      let isArmed = try network.findsArmed()
      if isArmed, configuration.isIncomplete {
        let words =
          "not all of the configuration can be read, and a gateway that is armed may be missing; it stays closed"
        log.log(.error, words, at: Clock.now)
        return Exit.badConfiguration
      }
      if isArmed, options.connect != nil {
        log.log(
          .error, "the kill switch is armed, and a profile alone would open it; `adit disarm` first", at: Clock.now)
        return Exit.unavailable
      }
      let control = try ControlServer(path: options.controlSocketPath, group: nil)
      let daemon = try Daemon(options, configuration, log: log, network: network, control: control)
      daemon.service = notifySocket.map(ServiceNotice.init)
      let isClean = try daemon.run()
      let closed = network.plan.gateways.map(\.name.text).joined(separator: ", ")
      let end = closed.isEmpty ? "everything is as it was" : "armed: \(closed) stays closed until `adit disarm`"
      log.log(.info, "stopped; " + (isClean ? end : "run `adit cleanup`"), at: Clock.now)
      guard isClean, options.connect != nil, let reason = daemon.reasons.first else {
        return isClean ? Exit.done : Exit.failed
      }
      log.log(.error, "not connected: \(reason.verdict.text)", of: reason.tunnel, at: Clock.now)
      return Exit.code(of: reason.verdict)
    } catch let fault as Fault {
      log.log(.error, fault.sentence, at: Clock.now)
    } catch {
      log.log(.error, "\(error)", at: Clock.now)
    }
    return Exit.failed
  }
}
