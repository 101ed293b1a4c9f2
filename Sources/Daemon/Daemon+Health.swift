internal import Base
internal import Exchange
internal import Settings

extension Daemon {
  /// What `config health` says about the tunnel, to an engine that starts and after every reload.
  func sendHealth(to tunnel: TunnelRun, at now: Instant) {
    let section = settings.health.first { $0.tunnel == tunnel.name }
    send(.health(section.map(HealthOrder.init) ?? HealthOrder()), to: tunnel, at: now)
  }
}

extension HealthOrder {
  fileprivate init(_ section: HealthSettings) {
    self.init(interval: section.interval, failAfter: section.failAfter, target: section.probe)
  }
}
