package import Base
package import Gateway
import IO

/// Tells the router's resolvers what a plan says, and takes it back. Nothing here ever holds a tunnel up: what fails is said,
/// and the ruleset leads queries the right way without it.
///
/// Programs run beside the daemon's loop: after `apply` and each `proceed`, wait for `descriptor` and `deadline`.
package final class ResolverHand {
  package struct Message: Hashable, Sendable {
    package var level: Note.Level
    package var text: String
  }

  private enum Job {
    case run(ResolverProgram)
    /// dnsmasq was restarted: it must listen again, or our snippet goes.
    case confirm(NameService.Dnsmasq, until: Instant)
    /// What was taken back is struck from the journal.
    case strike(UndoJournal.Telling)
    case stands(NameService.Dnsmasq)
    case told(NameService.LinkResolvers)
  }

  private let stateDirectory: String
  private let programs: ResolverPrograms
  private let journal: UndoJournal
  private var queue: ArraySlice<Job> = []
  private var child: ChildProcess?
  private var running: ResolverProgram?
  private var runEnd: Instant?
  private var next: NameService?
  /// A restart was under way when everything was to be taken back.
  private var isInterrupted = false
  /// What dnsmasq does now, as far as we made it so; `nil` after a start too, whatever a predecessor left.
  private var standing: NameService.Dnsmasq?
  private var links: [NameService.LinkResolvers] = []
  /// How often a program was started: a new run's descriptor often has the number of the last one.
  package private(set) var runs = 0
  /// Why dnsmasq cannot be told though its configuration allows it; it is not tried again by itself.
  package private(set) var trouble: String?
  private var messages: [Message] = []

  /// Long enough for a router whose dnsmasq reads a large block list at its start.
  private static let startTime = Duration.seconds(15)
  private static let look = Duration.milliseconds(100)

  init(stateDirectory: String, _ journal: UndoJournal, _ programs: ResolverPrograms) {
    self.stateDirectory = stateDirectory
    self.programs = programs
    self.journal = journal
  }

  package var isBusy: Bool { child != nil || !queue.isEmpty }

  /// Readable when the program has ended; `nil` when none runs.
  package var descriptor: Int32? {
    switch child {
    case .some(let child): child.descriptor
    case .none: nil
    }
  }

  /// When to call `proceed` without an event.
  package var deadline: Instant? {
    if child != nil { return runEnd }
    if case .confirm = queue.first { return Clock.now + Self.look }
    return nil
  }

  /// The sets that dnsmasq fills are empty again: it forgets what it has heard, so that the next question fills them.
  package func forgetAnswers() {
    guard let standing, !standing.sets.isEmpty else { return }
    signal(look())
  }

  /// Lets a dnsmasq be told again that could not be.
  package func retry() { trouble = nil }

  /// What there is to say since the last call.
  package func takeMessages() -> [Message] {
    defer { messages = [] }
    return messages
  }

  /// Looks who answers names here now. While dnsmasq is being restarted there is nothing to see.
  package func facts(uplink: [IPAddress]) -> ResolverFacts {
    var facts = look(uplink: uplink)
    if let trouble {
      for process in facts.dnsmasq.keys {
        facts.dnsmasq[process]?.place = nil
        facts.dnsmasq[process]?.trouble = trouble
      }
    }
    return facts
  }

  /// What stands, for `adit plan --diff`: of dnsmasq as the files say, whoever wrote them; what other resolvers know of a
  /// device is theirs, and only that they know of it is noted.
  package func installedLines(_ facts: ResolverFacts, _ wanted: NameService) -> [String] {
    let dnsmasq = places(facts).flatMap { place in
      let files = DnsmasqFiles(place: place)
      guard let snippet = files.snippet else { return [String]() }
      return NameService.lines(snippet: snippet, in: place.snippet)
        + NameService.lines(servers: files.servers ?? "", in: place.serversFile)
    }
    var links = NameService()
    links.links = wanted.links.filter { journal.tellings.contains(UndoJournal.Telling($0)) }
    return dnsmasq + links.lines
  }

  /// Brings the resolvers to what the plan says, as far as it goes without waiting.
  ///
  /// - Parameter facts: for files of ours that the journal does not know: a power failure takes the journal, but not a file
  ///   on flash.
  package func apply(_ service: NameService, _ facts: ResolverFacts) {
    guard !isBusy else {
      next = service
      return
    }
    setDnsmasq(service.dnsmasq, facts)
    setLinks(service.links)
    proceed()
  }

  /// Goes on when a program has ended or its time is over.
  package func proceed() {
    while true {
      if child != nil, !finish() { return }
      guard let job = queue.first else { break }
      if case .confirm(let dnsmasq, let until) = job {
        if !listens(dnsmasq.place) {
          guard Clock.now >= until else { return }
          queue.removeFirst()
          giveUp(dnsmasq, "dnsmasq did not start again with Adit's file")
        } else {
          queue.removeFirst()
        }
        continue
      }
      queue.removeFirst()
      perform(job)
    }
    if let service = next {
      next = nil
      apply(service, look())
    }
  }

  /// Takes everything back and waits for it, but no longer than the limit: what runs then ends without us.
  ///
  /// - Returns: what was taken back, for people.
  package func withdraw(within limit: Duration) -> [String] {
    let end = Clock.now + limit
    next = nil
    let told = journal.tellings
    while isBusy, Clock.now < end { wait(until: end) }
    // A restart that does not end in time goes on alone, but what it was begun for is taken back all the same.
    isInterrupted = isBusy
    queue = []
    child?.leave()
    child = nil
    let facts = look()
    let hadFile = places(facts).contains { DnsmasqFiles(place: $0).snippet != nil }
    apply(NameService(), facts)
    while isBusy, Clock.now < end { wait(until: end) }
    child?.leave()
    child = nil
    // What waits behind a program that goes on alone is done as far as it needs no program.
    for case .strike(let telling) in queue { strike(telling) }
    queue = []
    var words = told.filter { $0.kind != .dnsmasq }.map { "\($0.fields[0]) from \($0.kind.rawValue)" }
    if hadFile || told.contains(where: { $0.kind == .dnsmasq }) { words.append("dnsmasq's servers") }
    return words
  }

  private func wait(until end: Instant) {
    if let descriptor, var poller = try? Poller() {
      try? poller.add(descriptor, for: .readable, token: 0)
      _ = try? poller.wait(until: min(end, deadline ?? end))
    } else if let deadline, var poller = try? Poller() {
      _ = try? poller.wait(until: min(end, deadline))
    }
    proceed()
  }

  private func look(uplink: [IPAddress] = []) -> ResolverFacts {
    ResolverSearch.look(stateDirectory: stateDirectory, uplink: uplink, programs: programs)
  }

  // MARK: dnsmasq

  private func listens(_ place: DnsmasqPlace) -> Bool {
    let facts = look()
    return facts.dnsmasq.values.contains { $0.place?.directory == place.directory }
  }

  /// Where files of ours lie or may lie.
  private func places(_ facts: ResolverFacts) -> [DnsmasqPlace] {
    let noted = journal.tellings.compactMap(\.place)
    return noted + facts.dnsmasq.values.compactMap(\.place).filter { !noted.contains($0) }
  }

  private func setDnsmasq(_ wanted: NameService.Dnsmasq?, _ facts: ResolverFacts) {
    for place in places(facts) where place != wanted?.place { takeBack(place) }
    guard let wanted, wanted != standing else {
      if wanted == nil { standing = nil }
      return
    }
    let files = DnsmasqFiles(place: wanted.place)
    do throws(SystemFailure) {
      try journal.note(UndoJournal.Telling(wanted.place))
      let hasNewServers = try files.writeServers(wanted.servers)
      let hasNewSnippet = try files.writeSnippet(wanted.snippet)
      if standing?.snippet == wanted.snippet, !hasNewSnippet {
        if hasNewServers { signal(facts) }
        standing = wanted
        return
      }
    } catch {
      giveUp(wanted, "dnsmasq cannot be told: \(error)")
      return
    }
    // Whether the running one has read a file that a predecessor left, nobody knows.
    guard let restart = programs.restart(wanted.place.restart) else {
      giveUp(wanted, "dnsmasq cannot be restarted: there is no systemctl")
      return
    }
    standing = nil
    queue += [.run(restart), .confirm(wanted, until: Clock.now + Self.startTime), .stands(wanted)]
  }

  private func takeBack(_ place: DnsmasqPlace) {
    let files = DnsmasqFiles(place: place)
    guard files.snippet != nil || journal.tellings.contains(UndoJournal.Telling(place)) else { return }
    standing = nil
    do throws(SystemFailure) {
      let wasOurs = try files.remove()
      // One that its owner stopped stays so; one that did not survive our file is to start without it.
      // So is one in the middle of a restart, ours or a killed predecessor's: it may have read the file and not listen yet.
      let isWanted = trouble != nil || isInterrupted || ResolverSearch.hasDnsmasq
      if wasOurs, isWanted, let restart = programs.restart(place.restart) { queue.append(.run(restart)) }
      queue.append(.strike(UndoJournal.Telling(place)))
    } catch {
      say(.warning, "dnsmasq keeps what Adit told it: \(error)")
    }
  }

  /// It never stays without a working resolver for our sake.
  private func giveUp(_ dnsmasq: NameService.Dnsmasq, _ reason: String) {
    trouble = reason
    say(
      .warning,
      "\(reason); it works on as its owner set it up, and its queries are led into the tunnel on their way out")
    queue = []
    takeBack(dnsmasq.place)
  }

  /// It reads the servers again, and forgets what it had heard from the former ones.
  private func signal(_ facts: ResolverFacts) {
    for process in facts.dnsmasq.keys { _ = RunningProcess.signal(process, named: "dnsmasq", .hangUp) }
  }

  // MARK: Devices

  private func setLinks(_ wanted: [NameService.LinkResolvers]) {
    let stale = journal.tellings.filter { telling in
      telling.kind != .dnsmasq && !wanted.contains { UndoJournal.Telling($0) == telling }
    }
    for telling in stale {
      guard let program = NameService.LinkResolvers.Program(rawValue: telling.kind.rawValue) else { continue }
      if let run = programs.forget(telling.fields[0], program) { queue.append(.run(run)) }
      queue.append(.strike(telling))
      links.removeAll { UndoJournal.Telling($0) == telling }
    }
    for link in wanted where !links.contains(link) {
      do throws(SystemFailure) {
        try journal.note(UndoJournal.Telling(link))
      } catch {
        say(
          .warning, "\(link.program.rawValue) is not told of \(link.device), because it could not be undone: \(error)")
        continue
      }
      queue += programs.tell(link).map(Job.run) + [.told(link)]
    }
  }

  // MARK: Jobs

  private func perform(_ job: Job) {
    switch job {
    case .run(let program):
      do throws(SystemFailure) {
        child = try program.start()
        running = program
        runEnd = Clock.now + ResolverProgram.patience
        runs += 1
      } catch {
        say(.warning, "cannot \(program.purpose): \(error)")
      }
    case .strike(let telling): strike(telling)
    case .stands(let dnsmasq):
      standing = dnsmasq
      say(.info, "dnsmasq asks the tunnel's resolvers")
    case .told(let link):
      links.removeAll { $0.device == link.device }
      links.append(link)
    case .confirm: break
    }
  }

  private func strike(_ telling: UndoJournal.Telling) {
    do throws(SystemFailure) { try journal.remove(telling) } catch { say(.debug, "the undo journal: \(error)") }
  }

  /// - Returns: false while it runs.
  private func finish() -> Bool {
    guard let result = child?.result() else {
      guard let runEnd, Clock.now >= runEnd else { return false }
      child = nil
      say(.warning, "cannot \(running?.purpose ?? "go on"): it did not end in time")
      return true
    }
    child = nil
    if !result.isSuccess {
      let words = result.output.split(separator: "\n").last.map { ": \($0.prefix(200))" } ?? ""
      say(.warning, "cannot \(running?.purpose ?? "go on"): it ended with \(result.ending)\(words)")
    }
    return true
  }

  private func say(_ level: Note.Level, _ text: String) { messages.append(Message(level: level, text: text)) }
}

extension UndoJournal.Telling {
  init(_ link: NameService.LinkResolvers) {
    self.init(kind: link.program == .resolved ? .resolved : .resolvconf, fields: [link.device.text])
  }

  init(_ place: DnsmasqPlace) {
    let restart =
      switch place.restart {
      case .initScript: "init"
      case .systemd(let unit): unit
      }
    self.init(kind: .dnsmasq, fields: [place.directory, place.serversFile, restart])
  }

  /// What a predecessor noted; a line that makes no sense names no place.
  var place: DnsmasqPlace? {
    guard kind == .dnsmasq, fields.count == 3, fields[0].hasPrefix("/"), fields[1].hasPrefix("/") else { return nil }
    if fields[2] == "init" { return DnsmasqPlace(directory: fields[0], serversFile: fields[1], restart: .initScript) }
    guard DnsmasqSearch.isUnit(fields[2]) else { return nil }
    return DnsmasqPlace(directory: fields[0], serversFile: fields[1], restart: .systemd(fields[2]))
  }
}
