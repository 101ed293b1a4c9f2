import Base

extension ProfileDraft {
  mutating func applyTunnel(_ line: OptionLine) throws(OptionProblem) -> Bool {
    switch line.name {
    case "dev": deviceWord = line.text(0)
    case "dev-type": deviceType = line.text(0)
    case "txqueuelen": profile.transmitQueueLength = try line.number(0)
    case "route-noexec": profile.routeNoExec = true
    case "route-nopull": profile.routeNoPull = true
    case "block-outside-dns": break
    case "pull-filter":
      profile.pullFilters.append(
        PullFilter(action: PullFilter.Action(rawValue: line.arguments[0]) ?? .reject, prefix: line.arguments[1]))
    default:
      var warnings: [String] = []
      let isKnown = try profile.tunnel.read(line, isPushed: false, warnings: &warnings)
      for warning in warnings { warn(line, warning) }
      return isKnown
    }
    return true
  }

  mutating func finishTunnel() {
    let location = location(of: "dev") ?? location(of: "dev-type")
    if deviceType == "tap" || deviceType == nil && deviceWord?.hasPrefix("tap") == true {
      report(
        .error, location ?? SourceLocation(file: ""),
        "tap devices (Ethernet inside the tunnel) are not supported; the server must offer `dev tun`")
      return
    }
    guard let word = deviceWord, let location else { return }
    if word == "null" {
      report(.error, location, "`dev null` makes no tunnel")
    } else if word != "tun" {
      profile.device = DeviceName(word)
      if profile.device == nil {
        report(
          .error, location, "`\(word)` is not a device name: up to \(DeviceName.longest) letters, digits, `-`, `_`, `.`"
        )
      }
    }
  }

  mutating func finishDNS() {
    for problem in profile.tunnel.dns.dropUnusableServers() {
      report(.warning, location(of: "dns") ?? SourceLocation(file: ""), problem)
    }
  }
}
