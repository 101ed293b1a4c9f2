internal import Base
internal import ConfigDirectory
internal import Control
internal import IO
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
    guard stopBy == nil else { return }
    log.log(.info, "reading the configuration again", at: now)
    service?.reload(monotonicMicroseconds: Clock.monotonicMicroseconds)
    var fresh = load()
    Self.report(fresh.diagnostics, to: log, at: now)
    guard !fresh.isIncomplete else {
      log.log(.error, "not all of it can be read, and a gateway may be missing; the one in use stays", at: now)
      return
    }
    guard !fresh.tunnels.isEmpty else {
      log.log(.error, "no tunnel is left in it; the one in use stays", at: now)
      return
    }
    let kept = GatewayReload.merge(
      fresh.settings.gateways, broken: fresh.brokenGateways, hasErrors: fresh.diagnostics.hasErrors,
      former: settings.gateways)
    fresh.settings.gateways = kept.gateways
    for name in kept.heldClosed {
      log.log(.warning, "gateway \(name) has errors: what it closed before stays closed", at: now)
    }
    // An engine holds one device and sockets of one mark: with others it is another tunnel.
    let isSameLayout = fresh.settings.globals.marks == marks
    func isKept(_ tunnel: TunnelRun) -> Bool {
      isSameLayout
        && fresh.tunnels.contains {
          $0.settings.name == tunnel.name && $0.settings.device == tunnel.loaded.settings.device
        }
    }
    configuration = fresh
    clock.setFloor(built: Version.releaseDate, files: Self.knownDates(options))
    isReloading = true
    defer { isReloading = false }
    for tunnel in tunnels where !isKept(tunnel) {
      dropEngine(of: tunnel)
      dropSlots(of: tunnel.name)
    }
    tunnels.removeAll { !isKept($0) }
    watchNames(at: now)
    var free = (1...0x7f).filter { index in !tunnels.contains { $0.index == index } }[...]
    for loaded in fresh.tunnels {
      if let tunnel = tunnels.first(where: { $0.name == loaded.settings.name }) {
        if renew(tunnel, with: loaded, at: now) { continue }
        withdrawSlot(of: tunnel, unlessFor: loaded, at: now)
        // Of two words of the owner the newer one counts.
        if loaded.settings.isEnabled != tunnel.loaded.settings.isEnabled {
          _ = overrides.change(tunnel.name) { $0.wish = nil }
        }
        let isOffloadNew = tunnel.loaded.settings.offload != loaded.settings.offload
        tunnel.loaded = loaded
        configure(tunnel, at: now)
        if isOffloadNew { sendConfiguration(to: tunnel, at: now) }
        sendHealth(to: tunnel, at: now)
        followWant(of: tunnel, at: now)
      } else if let index = free.popFirst() {
        add(loaded, index: index, at: now)
      }
    }
    network.forgetResolverTrouble()
    refreshNetwork(at: now)
    followDemand(at: now)
  }
}
