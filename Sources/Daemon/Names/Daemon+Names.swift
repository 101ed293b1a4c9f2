internal import Base
internal import Exchange
internal import Gateway
internal import Settings

// Policies by domain: engines say what the answers of the DNS inside their tunnels say, and wait until it stands.

extension Daemon {
  private static let mostWaitingNames = 256

  /// The configuration is new: other domains may count.
  func watchNames(at now: Instant) {
    guard names.watch(settings.policyDomains) else { return }
    let left = names.sets.domains.count - names.order.domains.count
    if left > 0 { log.log(.error, "\(left) domains of policies are too many and are left out", at: now) }
    for tunnel in tunnels { sendWatch(to: tunnel, at: now) }
  }

  /// The network is planned anew: dnsmasq may do the work now, or not any more.
  func followNames(at now: Instant) {
    let isFilledByOthers = network.plan.nameService.dnsmasq.map { !$0.sets.isEmpty } ?? false
    network.add(names.last(isFilledByOthers, at: now), at: now)
    for tunnel in tunnels { sendWatch(to: tunnel, at: now) }
  }

  /// Tells an engine what to watch for, when that is not what it knows.
  func sendWatch(to tunnel: TunnelRun, at now: Instant) {
    var order = names.order
    if network.plan.unwatchedTunnels.contains(tunnel.name) { order.domains = [] }
    guard tunnel.engine != nil, tunnel.watched != order else { return }
    // A fresh one watches nothing.
    if tunnel.watched != nil || !order.domains.isEmpty { send(.watch(order), to: tunnel, at: now) }
    tunnel.watched = order
  }

  func take(_ report: NamesReport, of tunnel: TunnelRun, at now: Instant) {
    let outcome = names.admit(report, &tunnel.names, network.household, at: now)
    if outcome.wrong > 0 {
      let what = "addresses for names that cannot be right; they are not followed"
      log.log(.warning, "the engine gave \(outcome.wrong) \(what)", kind: "names-wrong", of: tunnel.name.text, at: now)
    }
    if outcome.tooMany > 0 {
      let what = "addresses of names are more than there is room for; their packets go the ordinary way"
      log.log(.warning, "\(outcome.tooMany) \(what)", kind: "names-many", of: tunnel.name.text, at: now)
    }
    network.add(outcome.elements, at: now)
    // One that floods us is not answered: what waits there goes on by itself.
    if tunnel.waitingNames.count < Self.mostWaitingNames { tunnel.waitingNames.append(report.sequence) }
    answerNames(at: now)
  }

  /// Says so to the engines when everything that they named stands. After a loss of the table it is put in again first.
  func answerNames(at now: Instant) {
    guard network.takesElements else { return }
    if network.takeLoss() { network.add(names.elements(at: now), at: now) }
    for tunnel in tunnels where !tunnel.waitingNames.isEmpty {
      for sequence in tunnel.waitingNames { send(.namesApplied(sequence), to: tunnel, at: now) }
      tunnel.waitingNames = []
    }
  }
}
