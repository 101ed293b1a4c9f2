internal import Base
internal import Crypto
internal import DataChannel
internal import Exchange
internal import IO
internal import Profile
internal import Session

/// The one loop of an engine: waits for the supervisor, the transport socket, the tun and one timer (and for the resolver
/// while a name is asked for), and lends the session its time, its packets and its way out.
///
/// Lives in a local variable of whoever runs it; the data path touches no class.
struct EngineLoop: ~Copyable {
  enum Token: UInt64 {
    case supervisor, timer, link, tun, resolver
  }

  let line: SupervisorLine
  let random: RandomSource
  let pool: SocketPool
  let resolver: Resolver
  var poller: Poller
  var timer: TimerDescriptor

  var profile: Profile?
  var resolving: ResolveOrder?
  /// Sockets that were asked for and have not come.
  var requested: [SocketKind: Int] = [:]
  /// The attempt that orders must name.
  var attempt: Attempt?
  /// An attempt that waits for a spare socket or for its TCP connection, and until when.
  var waiting: (order: ConnectOrder, until: Instant)?
  /// Where the link leads.
  var target: (remote: Remote, endpoint: Endpoint)?
  /// The link's socket is to be exchanged as soon as a spare one comes.
  var awaitsSocket = false
  var link = TransportLink()
  var session: Session?
  var outbox = Outbox()
  var tun: TunDevice?
  var rooms = PacketRooms()
  var names = NameWatch()
  var health = HealthOrder()
  var offloadMode = OffloadMode.auto
  /// What the supervisor knows to be in use.
  var reportedOffloads: Offloads?
  var moderation = Moderation()
  var coalescer = Coalescer()
  /// One side had more than its turn of packets.
  var hasMore = false

  /// The network stands: packets of the tun may leave.
  var isUp = false
  /// The server has answered: errors of the network are hearsay from then on.
  var isAnswered = false
  var announcesStart = false
  /// When the log was last told that the server speaks from another address.
  var movedAt: Instant?
  /// Cached, because asking costs more than a data packet.
  var nextWake: Instant?
  /// The session has been called since: `nextWake` may be old.
  var isTouched = false
  var totals = Counters()
  var ending: Engine.Ending?

  var linkInterest: Poller.Readiness?
  var tunInterest: Poller.Readiness?
  var lineInterest: Poller.Readiness = .readable

  init(supervisor: consuming FileDescriptor, random: RandomSource) throws(SystemFailure) {
    let line = SupervisorLine(supervisor)
    let pool = SocketPool()
    let resolver = try Resolver(pool: pool)
    let poller = try Poller()
    let timer = try TimerDescriptor()
    try poller.add(line.descriptor, for: .readable, token: Token.supervisor.rawValue)
    try poller.add(timer.descriptor, for: .readable, token: Token.timer.rawValue)
    try poller.add(resolver.descriptor, for: .readable, token: Token.resolver.rawValue)
    self.line = line
    self.random = random
    self.pool = pool
    self.resolver = resolver
    self.poller = poller
    self.timer = timer
  }

  /// Runs until the supervisor ends it or is gone.
  mutating func run() -> Engine.Ending {
    report(.ready)
    Pause.sharpen()
    do throws(SystemFailure) {
      while ending == nil {
        try prepare()
        try turn()
      }
    } catch {
      return .broken(error.description)
    }
    line.flush()
    return ending ?? .quit
  }

  /// One wait and what comes of it, the control lane before the data lane.
  private mutating func turn() throws(SystemFailure) {
    var linkReady = Poller.Readiness()
    var tunReady = Poller.Readiness()
    // Not waited for: packets that came meanwhile are served in one go.
    let isPausing = moderation.isHot
    if isPausing, !hasMore { Pause.sleep(moderation.window) }
    let count = try isPausing || hasMore ? poller.look() : poller.wait(until: nil)
    hasMore = false
    let now = Clock.now
    var index = 0
    while index < count {
      let event = poller[index]
      index += 1
      switch Token(rawValue: event.token) {
      case .supervisor: serveSupervisor(event.readiness, at: now)
      case .timer: timer.acknowledge()
      case .resolver, nil: break
      case .link: linkReady = event.readiness
      case .tun: tunReady = event.readiness
      }
    }
    advanceResolver(at: now)
    runTimers(at: now)
    let receivedBefore = totals.transportReceivedPackets
    let sentBefore = totals.transportSentPackets
    // What leaves first carries TCP's own acknowledgement with it, and the read behind sends none.
    if link.isStream { serveTunIfReady(tunReady, at: now) }
    // An order may have closed what was ready.
    if linkInterest != nil, !linkReady.isEmpty {
      serveLink(linkReady, at: now)
      // What we have just written into the tun was acknowledged on the spot, if its reader is on this host: no window for that.
      if isPausing { tunReady = tunReady.union(.readable) }
    }
    if !link.isStream { serveTunIfReady(tunReady, at: now) }
    let received = totals.transportReceivedPackets &- receivedBefore
    let moved = received &+ (totals.transportSentPackets &- sentBefore)
    moderation.note(packets: moved, received: received, mayPause: isUp && offloadMode != .off, at: now)
    if names.hasReports { reportNames() }
    releaseLateAnswers(at: now)
    settle(at: now)
    if rooms.isSealing {
      resumeSealing(at: now)
      settle(at: now)
    }
    reportOffloads()
  }

  private mutating func serveTunIfReady(_ readiness: Poller.Readiness, at now: Instant) {
    if tunInterest != nil, !readiness.isEmpty { serveTun(readiness, at: now) }
  }

  /// Tells the kernel what is waited for.
  private mutating func prepare() throws(SystemFailure) {
    var next = nextWake
    if let until = waiting?.until { next = min(next ?? until, until) }
    if let until = names.deadline { next = min(next ?? until, until) }
    if resolver.isBusy, let deadline = resolver.deadline(at: Clock.now) { next = min(next ?? deadline, deadline) }
    try timer.set(next)
    let lineWanted: Poller.Readiness = line.hasQueued ? .readableOrWritable : .readable
    if lineWanted != lineInterest {
      try poller.change(line.descriptor, to: lineWanted, token: Token.supervisor.rawValue)
      lineInterest = lineWanted
    }
    let wanted = link.interest
    if link.isOpen, wanted != linkInterest {
      try watch(link.descriptor, wanted, was: linkInterest, token: .link)
      linkInterest = wanted
    }
    // While the transport is full the kernel's queue of the tun is the one to fill up.
    let readsTun: Poller.Readiness = isUp && !link.isFull ? .readable : Poller.Readiness()
    if let descriptor = tun?.descriptor, readsTun != tunInterest {
      try watch(descriptor, readsTun, was: tunInterest, token: .tun)
      tunInterest = readsTun
    }
    if line.isBroken { ending = .supervisorEnded }
  }

  private func watch(
    _ descriptor: Int32, _ wanted: Poller.Readiness, was: Poller.Readiness?, token: Token
  ) throws(SystemFailure) {
    if was == nil {
      try poller.add(descriptor, for: wanted, token: token.rawValue)
    } else {
      try poller.change(descriptor, to: wanted, token: token.rawValue)
    }
  }

  /// Sends a report; one that cannot be put into a message is our own limit, and ends the session.
  mutating func report(_ report: Report) {
    if !line.send(report) { link.fail(Fault(.internalError, "a report is too large")) }
  }

  mutating func closeLink() {
    if let counters = link.socketCounters { totals.add(counters) }
    if linkInterest != nil { poller.remove(link.descriptor) }
    linkInterest = nil
    link = TransportLink()
    rooms.forget()
    session?.up?.abandonCut()
  }

  /// Takes a new tun; the old one is closed.
  mutating func attach(_ descriptor: consuming FileDescriptor) {
    if tunInterest != nil, let old = tun?.descriptor { poller.remove(old) }
    tunInterest = nil
    if let counters = tun?.counters {
      totals.tunReceiveErrors &+= counters.writeErrors
      totals.tunSendErrors &+= counters.readErrors
    }
    tun = TunDevice(descriptor)
    tun?.offload(offloadMode)
  }
}
