internal import Base
internal import ConfigDirectory
internal import Control
internal import Settings
internal import Supervisor

extension Daemon {
  static func load(_ options: DaemonOptions) -> LoadedConfiguration {
    guard let connect = options.connect else { return ConfigurationDirectory.load(path: options.configPath) }
    return ConfigurationDirectory.loadProfile(
      path: connect.profilePath, options: connect.options, credentialsFile: connect.credentialsPath,
      lan: connect.lan.compactMap { DeviceName($0) })
  }

  func load() -> LoadedConfiguration { Self.load(options) }

  static func report(_ diagnostics: [Diagnostic], to log: LogSink, at now: Instant) {
    for diagnostic in diagnostics {
      let level: Note.Level =
        switch diagnostic.severity {
        case .error: .error
        case .warning: .warning
        case .note: .debug
        }
      log.log(level, "\(diagnostic.location): \(diagnostic.text)", at: now)
    }
  }

  /// SIGHUP: by difference; a tunnel whose profile is the same does not blink.
  func reload(at now: Instant) {
    log.log(.info, "reading the configuration again", at: now)
    let fresh = load()
    Self.report(fresh.diagnostics, to: log, at: now)
    guard !fresh.tunnels.isEmpty else {
      log.log(.error, "no tunnel is left in it; the one in use stays", at: now)
      return
    }
    configuration = fresh
    let names = Set(fresh.tunnels.map(\.settings.name))
    for tunnel in tunnels where !names.contains(tunnel.name) { tell(tunnel, .down, at: now) }
    tunnels.removeAll { tunnel in
      let isGone = !names.contains(tunnel.name)
      if isGone { dropEngine(of: tunnel) }
      return isGone
    }
    var free = (1...0x7f).filter { index in !tunnels.contains { $0.index == index } }[...]
    for loaded in fresh.tunnels {
      if let tunnel = tunnels.first(where: { $0.name == loaded.settings.name }) {
        tunnel.loaded = loaded
        configure(tunnel, at: now)
      } else if let index = free.popFirst() {
        add(loaded, index: index, at: now)
      }
    }
    refreshNetwork(at: now)
  }
}
