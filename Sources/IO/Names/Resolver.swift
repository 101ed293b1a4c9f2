package import Base
internal import CAres
internal import CLinux
internal import Glibc

/// Asks the uplink's name servers for one name's addresses, over spare sockets, without reading a file (c-ares).
///
/// One question at a time. The caller watches `descriptor` and `deadline`, and calls `advance` when either is due.
@safe package final class Resolver {
  package enum Failure: String, Error, Hashable, Sendable, CaseIterable {
    case noSuchName = "the name does not exist"
    case noAddress = "the name has no address of the wanted family"
    case noAnswer = "no name server answers"
    case refused = "the name servers cannot be reached or refuse to answer"
    case noServer = "no name server is known"
    case badName = "this is no host name"
  }

  package enum Outcome: Hashable, Sendable {
    /// IPv4 first, within a family in the server's order; never empty.
    case addresses([IPAddress])
    case failed(Failure)
  }

  /// The whole question, all servers and both families.
  package static let longestQuestion: Duration = .seconds(8)
  /// How long the second family is awaited once the first has given an address: some routers never answer AAAA.
  package static let graceForSecondFamily: Duration = .milliseconds(200)
  /// Milliseconds that one server has at first; then the next is asked, and each further round over all takes twice as long.
  private static let patience: Int32 = 800
  /// One socket each is taken from the pool.
  package static let mostServers = 3

  private let poller: Poller
  private let pool: SocketPool
  private var channel: ares_channel?
  private let functions: UnsafeMutablePointer<ares_socket_functions>
  private var question: Question?
  private var watched: Set<Int32> = []

  private struct Question {
    var pending = 0
    var ipv4: [IPAddress] = []
    var ipv6: [IPAddress] = []
    var failure: Failure?
    var deadline: Instant
    var hasGrace = false
  }

  package init(pool: SocketPool) throws(SystemFailure) {
    poller = try Poller()
    self.pool = pool
    // c-ares keeps the pointer for as long as the channel lives.
    unsafe functions = .allocate(capacity: 1)
    unsafe functions.initialize(to: Resolver.socketFunctions)
    adit_names_without_modules()
    try open()
  }

  deinit {
    close()
    unsafe functions.deallocate()
  }

  /// Readable when `advance` has something to do.
  package var descriptor: Int32 { poller.descriptor }

  package var isBusy: Bool { question != nil }

  /// When `advance` is due even if nothing comes.
  package func deadline(at now: Instant) -> Instant? {
    guard let question, let channel = unsafe channel else { return nil }
    if question.pending == 0 { return now }
    var next = timeval()
    guard unsafe ares_timeout(channel, nil, &next) != nil else { return question.deadline }
    let wait = Duration.seconds(next.tv_sec) + .microseconds(next.tv_usec)
    return min(question.deadline, now + wait)
  }

  /// Begins a question; one under way is forgotten.
  /// - Parameter family: `nil` = both.
  package func ask(_ host: String, family: AddressFamily?, servers: [Endpoint], at now: Instant) {
    cancel()
    question = Question(deadline: now + Self.longestQuestion)
    if let literal = IPAddress(host) {
      receive(family == nil || family == literal.family ? .success([literal]) : .failure(.noAddress), literal.family)
      return
    }
    guard let channel = unsafe channel, !servers.isEmpty, setServers(servers.prefix(Self.mostServers)) else {
      question?.failure = .noServer
      return
    }
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    // Counted before: c-ares may call back before it returns.
    if family != .ipv6 { question?.pending += 1 }
    if family != .ipv4 { question?.pending += 1 }
    if family != .ipv6 { unsafe ares_query(channel, host, Self.internet, Self.typeA, Self.answeredA, me) }
    if family != .ipv4 { unsafe ares_query(channel, host, Self.internet, Self.typeAAAA, Self.answeredAAAA, me) }
  }

  package func cancel() {
    question = nil
    if let channel = unsafe channel { unsafe ares_cancel(channel) }
  }

  /// Moves the question on.
  /// - Returns: the outcome, once; `nil` while it is open.
  package func advance(at now: Instant) -> Outcome? {
    guard question != nil, let channel = unsafe channel else { return nil }
    unsafe process(channel)
    guard var current = question else { return nil }
    let found = current.ipv4 + current.ipv6
    if !found.isEmpty, current.pending > 0, !current.hasGrace {
      current.hasGrace = true
      current.deadline = min(current.deadline, now + Self.graceForSecondFamily)
      question = current
    }
    guard current.pending == 0 || now >= current.deadline else { return nil }
    cancel()
    return found.isEmpty ? .failed(current.failure ?? .noAnswer) : .addresses(found)
  }

  private func process(_ channel: ares_channel) {
    // Copied first: handling one socket may close another.
    var ready: [(socket: Int32, readiness: Poller.Readiness)] = []
    if let events = try? Self.ready(in: poller) { ready = events }
    for event in ready where watched.contains(event.socket) {
      let reads = !event.readiness.isDisjoint(with: [.readable, .broken])
      let writes = event.readiness.contains(.writable)
      unsafe ares_process_fd(channel, reads ? event.socket : Self.noSocket, writes ? event.socket : Self.noSocket)
    }
    // Timeouts.
    unsafe ares_process_fd(channel, Self.noSocket, Self.noSocket)
  }

  private static func ready(
    in poller: borrowing Poller
  ) throws(SystemFailure) -> [(socket: Int32, readiness: Poller.Readiness)] {
    var events: [(socket: Int32, readiness: Poller.Readiness)] = []
    try poller.collect { events.append((Int32(truncatingIfNeeded: $0.token), $0.readiness)) }
    return events
  }

  private func receive(_ answer: Result<[IPAddress], Failure>, _ family: AddressFamily) {
    guard question != nil else { return }
    switch answer {
    case .success(let addresses):
      if family == .ipv4 { question?.ipv4 = addresses } else { question?.ipv6 = addresses }
    // "No address" of one family says less than anything the other one says.
    case .failure(let failure):
      if question?.failure == nil || question?.failure == .noAddress { question?.failure = failure }
    }
  }
}

// What c-ares calls back. Every function finds the resolver through its last argument and does one thing.
extension Resolver {
  private static let internet: Int32 = 1
  private static let typeA: Int32 = 1
  private static let typeAAAA: Int32 = 28
  private static let noSocket: ares_socket_t = -1
  private static let mostAddresses: Int32 = 32

  private static func resolver(_ pointer: UnsafeMutableRawPointer?) -> Resolver? {
    unsafe pointer.map { unsafe Unmanaged<Resolver>.fromOpaque($0).takeUnretainedValue() }
  }

  private func open() throws(SystemFailure) {
    var options = unsafe ares_options()
    unsafe options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES
    unsafe options.timeout = Self.patience
    unsafe options.tries = 3
    unsafe options.ndots = 1
    unsafe options.ndomains = 0
    unsafe options.sock_state_cb = { pointer, socket, reads, writes in
      unsafe Resolver.resolver(pointer)?.watch(socket, reads: reads != 0, writes: writes != 0)
    }
    unsafe options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
    let mask =
      ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_NDOTS | ARES_OPT_DOMAINS | ARES_OPT_LOOKUPS
      | ARES_OPT_SOCK_STATE_CB | ARES_OPT_RESOLVCONF
    var made: ares_channel?
    // Only DNS, no hosts file; and a configuration file that is empty. Both are copied by c-ares.
    let status = unsafe "b".withCString { lookups in
      unsafe "/dev/null".withCString { file in
        unsafe options.lookups = UnsafeMutablePointer(mutating: lookups)
        unsafe options.resolvconf_path = UnsafeMutablePointer(mutating: file)
        return unsafe ares_init_options(&made, &options, mask)
      }
    }
    guard status == ARES_SUCCESS, let made = unsafe made else {
      throw SystemFailure("ares_init_options", ENOMEM)
    }
    unsafe channel = made
    unsafe ares_set_socket_functions(made, functions, Unmanaged.passUnretained(self).toOpaque())
  }

  private func close() {
    if let channel = unsafe channel { unsafe ares_destroy(channel) }
    unsafe channel = nil
  }

  private func setServers(_ servers: ArraySlice<Endpoint>) -> Bool {
    guard let channel = unsafe channel else { return false }
    let text = servers.map(\.description).joined(separator: ",")
    return unsafe ares_set_servers_ports_csv(channel, text) == ARES_SUCCESS
  }

  private func watch(_ socket: Int32, reads: Bool, writes: Bool) {
    guard reads || writes else {
      if watched.remove(socket) != nil { poller.remove(socket) }
      return
    }
    var readiness: Poller.Readiness = []
    if reads { readiness.insert(.readable) }
    if writes { readiness.insert(.writable) }
    // A socket that cannot be watched ends in a timeout.
    if watched.insert(socket).inserted {
      try? poller.add(socket, for: readiness, token: UInt64(socket))
    } else {
      try? poller.change(socket, to: readiness, token: UInt64(socket))
    }
  }

  private static let answeredA: ares_callback = { pointer, status, _, bytes, count in
    var found = [ares_addrttl](repeating: ares_addrttl(), count: Int(mostAddresses))
    var number = mostAddresses
    let parsed = unsafe status == 0 ? ares_parse_a_reply(bytes, count, nil, &found, &number) : status
    let addresses = found.prefix(Int(max(number, 0))).map {
      IPAddress.v4(IPv4Address(UInt32(bigEndian: $0.ipaddr.s_addr)))
    }
    unsafe answered(pointer, parsed, addresses, .ipv4)
  }

  private static let answeredAAAA: ares_callback = { pointer, status, _, bytes, count in
    var found = [ares_addr6ttl](repeating: ares_addr6ttl(), count: Int(mostAddresses))
    var number = mostAddresses
    let parsed = unsafe status == 0 ? ares_parse_aaaa_reply(bytes, count, nil, &found, &number) : status
    let addresses = found.prefix(Int(max(number, 0))).compactMap { entry in
      unsafe withUnsafeBytes(of: entry.ip6addr) { unsafe IPAddress(bytes: Array($0.prefix(16))) }
    }
    unsafe answered(pointer, parsed, addresses, .ipv6)
  }

  private static func answered(
    _ pointer: UnsafeMutableRawPointer?, _ status: Int32, _ addresses: [IPAddress], _ family: AddressFamily
  ) {
    guard let resolver = unsafe resolver(pointer), resolver.question != nil else { return }
    resolver.question?.pending -= 1
    if status == 0, !addresses.isEmpty {
      resolver.receive(.success(addresses), family)
    } else {
      resolver.receive(.failure(failure(status)), family)
    }
  }

  private static func failure(_ status: Int32) -> Failure {
    switch status {
    case ARES_ENOTFOUND: .noSuchName
    case ARES_SUCCESS, ARES_ENODATA: .noAddress
    case ARES_ECONNREFUSED, ARES_ESERVFAIL, ARES_EREFUSED, ARES_ENOTIMP, ARES_EFORMERR: .refused
    case ARES_EBADNAME: .badName
    default: .noAnswer
    }
  }

  private static let socketFunctions = unsafe ares_socket_functions(
    asocket: { domain, type, _, pointer in
      guard let resolver = unsafe Resolver.resolver(pointer) else { return -1 }
      let transport: Transport = type & 0xf == Int32(SOCK_STREAM.rawValue) ? .tcp : .udp
      guard let socket = resolver.pool.take(transport, domain == AF_INET6 ? .ipv6 : .ipv4) else {
        errno = EMFILE
        return -1
      }
      return socket.release()
    },
    aclose: { socket, pointer in
      unsafe Resolver.resolver(pointer)?.watch(socket, reads: false, writes: false)
      return adit_close(socket) < 0 ? -1 : 0
    },
    aconnect: { socket, address, count, _ in unsafe connect(socket, address, count) },
    arecvfrom: { socket, bytes, count, flags, address, length, _ in
      unsafe recvfrom(socket, bytes, count, flags, address, length)
    },
    asendv: { socket, parts, count, _ in unsafe writev(socket, parts, count) })
}
