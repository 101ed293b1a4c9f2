import Base

extension ProfileDraft {
  mutating func applyTimers(_ line: OptionLine) throws(OptionProblem) -> Bool {
    switch line.name {
    case "ping":
      let seconds = try line.number(0)
      profile.timers.ping = seconds > 0 ? .seconds(seconds) : nil
    case "ping-restart", "ping-exit": profile.timers.pingRestart = try line.seconds(0)
    case "keepalive":
      profile.timers.ping = try line.seconds(0)
      profile.timers.pingRestart = try line.seconds(1)
      if try line.number(1) < 2 * line.number(0) {
        warn(
          line, "`keepalive`: the timeout is less than twice the interval, so one lost packet can end the tunnel",
          argument: 1)
      }
    case "inactive":
      let seconds = try line.number(0)
      profile.timers.inactive = seconds > 0 ? .seconds(seconds) : nil
      profile.timers.inactiveBytes = line.arguments.count > 1 ? UInt64(clamping: try line.number(1)) : 0
    case "session-timeout":
      let seconds = try line.number(0)
      profile.timers.sessionTimeout = seconds > 0 ? .seconds(seconds) : nil
    case "hand-window": profile.timers.handWindow = try line.seconds(0)
    case "tran-window": profile.timers.transitionWindow = try line.seconds(0)
    case "reneg-sec": profile.timers.renegotiateAfter = try line.seconds(0)
    case "reneg-bytes": profile.timers.renegotiateBytes = UInt64(clamping: try line.number(0))
    case "reneg-pkts": profile.timers.renegotiatePackets = UInt64(clamping: try line.number(0))
    case "tls-timeout": profile.timers.tlsTimeout = try line.seconds(0)
    case "replay-window":
      let window = try line.number(0)
      if window < 64 {
        warn(
          line, "`replay-window`: a window below 64 loses packets that merely overtake each other; 64 is used",
          argument: 0)
      }
      profile.replayWindow = max(64, window)
      if line.arguments.count > 1 { profile.replayTime = try line.seconds(1) }
    default: return false
    }
    return true
  }
}
