internal import Base
internal import IO
internal import Settings

/// One round of asking whether hosts and ports are there, outside all tunnels. Bounded in number and time.
final class ReachRound {
  /// When to look for answers; at the third what was lost is asked again. A TCP connection asks again by itself after a second.
  private static let looks: [Duration] = [
    .milliseconds(100), .milliseconds(400), .milliseconds(1_000), .milliseconds(1_700), .milliseconds(2_500),
  ]
  private static let repetition = 2
  /// What the rules of a configuration may ask for; the rest counts as not there.
  static let mostTargets = 32

  /// A connection under way, which ends with the round: nothing is said on it.
  private final class Attempt {
    let target: ReachTarget
    var socket: TCPSocket

    init(_ target: ReachTarget, _ socket: consuming TCPSocket) {
      self.target = target
      self.socket = socket
    }
  }

  let targets: Set<ReachTarget>
  private let sounding: Sounding
  private var attempts: [Attempt] = []
  private var reached: Set<ReachTarget> = []
  private var failed: Set<ReachTarget> = []
  private let began: Instant
  private var step = 0

  init(_ targets: [ReachTarget], mark: UInt32, token: UInt16, at now: Instant) {
    let targets = targets.prefix(Self.mostTargets)
    self.targets = Set(targets)
    began = now
    let hosts = targets.filter { $0.port == nil }.map(\.address)
    sounding = Sounding(hosts: Set(hosts), resolvers: [], mark: mark, token: token)
    sounding.ask()
    for target in self.targets where target.port != nil { connect(to: target, mark) }
  }

  private func connect(to target: ReachTarget, _ mark: UInt32) {
    guard let port = target.port,
      let made = try? TransportSocket.make(.tcp, target.address.family, .init(mark: mark)),
      let socket = try? TCPSocket(made)
    else {
      failed.insert(target)
      return
    }
    switch socket.connect(to: Endpoint(address: target.address, port: port)) {
    case .connected: reached.insert(target)
    case .failed: failed.insert(target)
    case .underWay: attempts.append(Attempt(target, socket))
    }
  }

  /// When to look next.
  var lookAt: Instant { began + Self.looks[min(step, Self.looks.count - 1)] }

  /// - Returns: what is there and what is not, once it is known of all.
  func look(at now: Instant) -> [ReachTarget: Bool]? {
    guard now >= lookAt else { return nil }
    sounding.listen()
    reached.formUnion(targets.filter { $0.port == nil && sounding.answered.contains($0.address) })
    lookAtAttempts()
    if step == Self.repetition { sounding.ask() }
    step += 1
    guard step >= Self.looks.count || reached.union(failed) == targets else { return nil }
    return Dictionary(uniqueKeysWithValues: targets.map { ($0, reached.contains($0)) })
  }

  private func lookAtAttempts() {
    guard !attempts.isEmpty, var poller = try? Poller() else { return }
    for (position, attempt) in attempts.enumerated() {
      try? poller.add(attempt.socket.descriptor, for: .writable, token: UInt64(position))
    }
    let count = (try? poller.wait(until: began)) ?? 0
    let ready = (0..<count).map { Int(poller[$0].token) }
    for position in ready {
      let attempt = attempts[position]
      if attempt.socket.connectResult() == 0 { reached.insert(attempt.target) } else { failed.insert(attempt.target) }
    }
    attempts = attempts.enumerated().filter { !ready.contains($0.offset) }.map(\.element)
  }
}
