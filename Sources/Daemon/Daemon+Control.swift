internal import Base
internal import ConfigDirectory
internal import Control
internal import Exchange
internal import Gateway
internal import IO
internal import Settings
internal import Supervisor

extension Daemon {
  func acceptClients(at now: Instant) {
    while let (index, descriptor) = control.accept(at: now) {
      watch(descriptor, for: .readable, Token(.client, index))
    }
    listen()
  }

  /// While there are too many clients, one that waits must not wake us again and again.
  private func listen() { watch(control.descriptor, for: control.isFull ? [] : .readable, Token(.control)) }

  func serve(_ index: UInt32, at now: Instant) {
    switch control.serve(index, answer: { self.answer($0, at: now) }) {
    case .reading: break
    case .writing:
      if let descriptor = control.descriptor(of: index) { watch(descriptor, for: .writable, Token(.client, index)) }
    case .over: dismiss(index)
    }
  }

  func dismiss(_ index: UInt32) {
    if let descriptor = control.descriptor(of: index) { forget(descriptor) }
    control.forget(index)
    listen()
  }

  private func answer(_ request: Result<Request, Reply.Refusal>, at now: Instant) -> Reply {
    switch request {
    case .failure(let refusal): return .refused(refusal)
    case .success(.status(let name)):
      if let name, tunnels.allSatisfy({ $0.name.text != name }) { return unknown(name) }
      collectCounters(at: now)
      return .status(StatusBuilder(daemon: self, now: now).report(of: name))
    case .success(.explain(let question)): return explain(question)
    case .success(.up(let name)): return order(name) { self.up($0, at: now) }
    case .success(.down(let name)): return order(name, mayBeInvalid: true) { self.down($0, at: now) }
    case .success(.pause(let name, let span)): return order(name) { self.pause($0, for: span, at: now) }
    case .success(.resume(let name)): return order(name, mayBeInvalid: true) { self.resume($0, at: now) }
    case .success(.reconnect(let name, let after)): return order(name) { self.reconnect($0, after: after, at: now) }
    case .success(.use(let name, let remote)): return order(name) { self.use($0, remote, at: now) }
    }
  }

  /// From the plan that stands, with what the timed sets hold by now.
  private func explain(_ question: ExplainQuestion) -> Reply {
    let inquiry = Inquiry.read(
      source: question.source, destination: question.destination, transport: question.transport, port: question.port)
    do {
      let inquiry = try inquiry.get()
      let scene = try network.scene(settings, withNames: inquiry.needsNames)
      var explanation = Explanation(situation: "a daemon runs")
      explanation.answers = try Explainer.answers(inquiry, in: scene).get()
      return .explanation(explanation)
    } catch let problem as Explanation.Problem {
      return .refused(Reply.Refusal(.unknownDevice, problem.text))
    } catch let fault as Fault {
      return .refused(Reply.Refusal(.busy, fault.sentence))
    } catch {
      return .refused(Reply.Refusal(.busy, "\(error)"))
    }
  }

  private func order(_ name: String, mayBeInvalid: Bool = false, _ body: (TunnelRun) -> Reply) -> Reply {
    guard let tunnel = tunnels.first(where: { $0.name.text == name }) else { return unknown(name) }
    guard mayBeInvalid || tunnel.loaded.isValid else {
      let reason = tunnel.loaded.firstError.map { "\($0.location): \($0.text)" } ?? "run `adit check`"
      let remedy = "once it is mended, SIGHUP makes Adit read it again"
      return .refused(
        Reply.Refusal(.invalidTunnel, "the configuration of \(name) has errors: \(reason); \(remedy)"))
    }
    return body(tunnel)
  }

  private func unknown(_ name: String) -> Reply {
    let nearest = NearestName.of(name, in: tunnels.map(\.name.text))
    let hint = nearest.map { "; did you mean \($0)?" } ?? ""
    return .refused(Reply.Refusal(.unknownTunnel, "there is no tunnel \(name)\(hint)"))
  }

  /// Asks every engine for its totals and waits for the answers, briefly: an engine answers within its next turn.
  private func collectCounters(at now: Instant) {
    var asked: [TunnelRun] = []
    for tunnel in tunnels where tunnel.engine != nil {
      send(.reportCounters, to: tunnel, at: now)
      asked.append(tunnel)
    }
    guard var poller = try? Poller() else { return }
    for tunnel in asked {
      if let engine = tunnel.engine {
        try? poller.add(engine.channelDescriptor, for: .readable, token: UInt64(tunnel.index))
      }
    }
    let deadline = now + Self.statusPatience
    while !asked.isEmpty, Clock.now < deadline, let count = try? poller.wait(until: deadline), count > 0 {
      for position in 0..<count {
        let index = Int(poller[position].token)
        guard let tunnel = asked.first(where: { $0.index == index }) else { continue }
        if let engine = tunnel.engine { poller.remove(engine.channelDescriptor) }
        readEngine(of: tunnel, .readable, at: Clock.now)
        asked.removeAll { $0.index == index }
      }
    }
    for tunnel in asked { tunnel.watch?.miss(at: now) }
  }
}
