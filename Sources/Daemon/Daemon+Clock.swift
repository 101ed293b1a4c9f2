internal import Base
internal import ConfigDirectory
internal import Control
internal import Exchange
internal import IO
internal import Settings
internal import Supervisor

extension Daemon {
  var clockIsUnset: Bool { clock.isUnset }

  /// The time that certificates are checked at (design: clock floor).
  func certificateTime(_ tunnel: TunnelRun) -> WallTime {
    tunnel.loaded.settings.clockPolicy == .floor ? clock.certificateTime(Clock.wallTime) : Clock.wallTime
  }

  /// Its owner wants certificates judged by the clock, and the clock is none.
  func waitsForClock(_ tunnel: TunnelRun) -> Bool {
    clock.isUnset && tunnel.loaded.settings.clockPolicy == .strict
  }

  /// The server is not even asked: every certificate would be of the future.
  func endForClock(_ attempt: Attempt, of tunnel: TunnelRun, at now: Instant) {
    let fault = Fault(.tlsCertificateNotYetValid, "the clock says \(Clock.wallTime.rfc3339), clock_policy is 'strict'")
    tell(tunnel, .session(attempt, .ended(EndReport(fault: fault))), at: now)
  }

  /// Dates of files that were there before: the program's and those of the configuration.
  static func knownDates(_ options: DaemonOptions) -> [WallTime] {
    var dates: [WallTime] = []
    if let program = TextFile.target(ofLink: "/proc/self/exe"), let status = TextFile.status(program) {
      dates.append(status.modified)
    }
    if options.connect == nil { dates += ConfigurationDirectory.dates(path: options.configPath) }
    return dates
  }

  func sayClock(at now: Instant) {
    guard clock.isUnset else { return }
    log.log(
      .warning,
      "the clock is not set: it says \(Clock.wallTime.rfc3339). Until it is, certificates are judged as of "
        + "\(clock.floor.rfc3339), and the router may ask time servers outside the tunnels", at: now)
  }

  /// On every turn of the loop; what has no event of its own is found at the next.
  func followClock(at now: Instant) {
    if let slept = sleep.look(now, monotonicMicroseconds: Clock.monotonicMicroseconds) {
      log.log(.info, "the machine slept for \(slept.components.seconds) s", at: now)
      for tunnel in runs { tell(tunnel, .shaken, at: now) }
      pathQuestion.notice(at: now)
    }
    let wall = Clock.wallTime
    switch clock.look(wall, at: now) {
    case nil: break
    case .set:
      log.log(.info, "the clock was set: it is \(wall.rfc3339); certificates are judged by it from now on", at: now)
      refreshNetwork(at: now)
      for tunnel in runs { tell(tunnel, .clockSet(wall), at: now) }
    case .unset:
      sayClock(at: now)
      refreshNetwork(at: now)
    case .stepped(let seconds):
      log.log(.info, "somebody set the clock by \(seconds) s; nothing here depends on it", at: now)
    }
  }
}
