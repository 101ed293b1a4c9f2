internal import Base
internal import Exchange
internal import IO
internal import Settings
internal import Supervisor

extension Daemon {
  /// When to ask the kernel for ways, with an event or without one.
  var pathsAt: Instant? {
    ([pathQuestion.askAt] + runs.map(\.judge.askAt)).compactMap { $0 }.min()
  }

  /// Asks the kernel anew for every server in use, and tells the tunnels whose way is another.
  func lookForPaths(at now: Instant) {
    pathQuestion.ask(at: now)
    let ways = ways
    var said: Set<String> = []
    for tunnel in runs {
      tell(tunnel, .ways(ways), at: now)
      let targets = tunnel.supervisor.watchedAddresses
      guard !targets.isEmpty || tunnel.supervisor.watchesAnyWay else {
        tunnel.judge = PathJudge()
        continue
      }
      // A question that the kernel does not take says nothing about the way.
      guard let answer = try? ask(targets) else { continue }
      let verdict = tunnel.judge.take(answer.value, at: now) { network.isOurs($0) }
      let line = uplinkNews.line(verdict, answer.value, family: answer.family, kind: kind)
      if let line, said.insert(line).inserted { log.log(.info, line, kind: "uplink", at: now) }
      switch verdict {
      case .same: break
      case .gone: if tunnel.supervisor.isUp { tellWay(of: tunnel, isUsable: false, at: now) }
      case .again(let path):
        network.forgetSilent(path)
        // A session proves itself, and nothing else has happened to it; what only begins is better begun anew.
        if tunnel.supervisor.isUp {
          tellWay(of: tunnel, isUsable: true, at: now)
        } else {
          tell(tunnel, .shaken, at: now)
        }
      case .other(let path):
        if let path { network.forgetSilent(path) }
        tell(tunnel, .path(path), at: now)
      }
    }
  }

  /// To the session, which judges nothing while there is no way and proves itself when it is back.
  private func tellWay(of tunnel: TunnelRun, isUsable: Bool, at now: Instant) {
    send(.path(tunnel.supervisor.currentAttempt, isUsable: isUsable), to: tunnel, at: now)
  }

  /// The way to a new server, which counts as it is.
  ///
  /// - Parameter target: `nil` = no address is known yet: the way to anywhere.
  func beginPath(of tunnel: TunnelRun, to target: IPAddress?, at now: Instant) -> Path? {
    let answer = try? ask(target.map { [$0] } ?? [])
    let path = tunnel.judge.begin(answer?.value)
    if let answer, let line = uplinkNews.first(answer.value, family: answer.family, kind: kind) {
      log.log(.info, line, kind: "uplink", at: now)
    }
    return path
  }

  /// The way out, by either family.
  var anyPath: Path? { (try? ask([]))?.value.flatMap { $0.isUp ? $0.path : nil } }

  /// The families that lead out.
  var ways: Set<AddressFamily> {
    Set(
      AddressFamily.allCases.filter { family in
        (try? network.answer(to: Self.anywhere(family), mark: marks.own))?.isUp ?? false
      })
  }

  /// The first usable answer, else the first.
  ///
  /// - Parameter targets: none = anywhere, by either family.
  private func ask(_ targets: [IPAddress]) throws -> (value: PathAnswer?, family: AddressFamily) {
    let targets = targets.isEmpty ? AddressFamily.allCases.map(Self.anywhere) : targets
    var first: PathAnswer?
    for target in targets {
      guard let answer = try network.answer(to: target, mark: marks.own) else { continue }
      if answer.isUp { return (answer, target.family) }
      first = first ?? answer
    }
    return (first, first?.path.source?.family ?? targets[0].family)
  }

  private func kind(_ answer: PathAnswer) -> Uplink.Kind {
    DeviceFiles.kind(of: answer.path.device, index: answer.index)
  }

  /// An address of the documentation ranges, which only a default route covers.
  static func anywhere(_ family: AddressFamily) -> IPAddress {
    family == .ipv4 ? .v4(IPv4Address(192, 0, 2, 1)) : .v6(IPv6Address(high: 0x2001_0db8_0000_0000, low: 1))
  }
}

/// What the log says of the way out: each change once, however many tunnels take it.
struct UplinkNews {
  private var told: [AddressFamily: Path?] = [:]

  /// - Returns: `nil` when there is nothing new to say.
  mutating func line(
    _ verdict: PathJudge.Verdict, _ answer: PathAnswer?, family: AddressFamily, kind: (PathAnswer) -> Uplink.Kind
  ) -> String? {
    switch verdict {
    case .same, .gone: return nil
    case .again(let path):
      return answer.map { "the way out by \(path.device) (\(kind($0).rawValue)) was gone for a moment" }
    case .other(let path):
      if told[family] == .some(path) { return nil }
      told[family] = .some(path)
      return Self.words(answer, isUsable: path != nil, kind: kind)
    }
  }

  /// Before a change only the first word is news.
  mutating func first(_ answer: PathAnswer?, family: AddressFamily, kind: (PathAnswer) -> Uplink.Kind) -> String? {
    guard told[family] == nil else { return nil }
    let isUsable = answer?.isUp ?? false
    told[family] = .some(isUsable ? answer?.path : nil)
    return Self.words(answer, isUsable: isUsable, kind: kind)
  }

  private static func words(_ answer: PathAnswer?, isUsable: Bool, kind: (PathAnswer) -> Uplink.Kind) -> String {
    guard let answer else { return "no uplink: no route leads out" }
    let name = "\(answer.path.device) (\(kind(answer).rawValue))"
    guard isUsable else { return "no uplink: \(name) has no carrier" }
    let source = answer.path.source.map { ", from \($0)" } ?? ""
    let gateway = answer.path.gateway.map { " through \($0)" } ?? ""
    return "uplink is now \(name)" + source + gateway
  }
}
