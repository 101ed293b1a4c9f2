internal import Base
internal import Glibc
internal import IO

/// The one socket of an attempt, UDP or TCP, and the control records that wait to be written to it; or none, as long as there
/// is no attempt.
///
/// That is no Optional: looking into one that cannot be copied moves all of it out and back, each time.
struct TransportLink: ~Copyable {
  /// Control records that a slow connection may pile up; the session's send window is far below.
  private static let mostQueued = 256 * 1024

  private var udp: UDPSocket?
  private var tcp: TCPSocket?
  private var records: [UInt8] = []
  private var written = 0
  /// -1 without a socket.
  let descriptor: Int32
  let isStream: Bool
  /// The kernel takes no more: watch for writable, and let the tun wait.
  private(set) var isFull = false
  /// TCP: not yet there.
  private(set) var isConnecting = false
  /// Why the socket is of no more use.
  private(set) var fault: Fault?

  /// No socket: nothing comes, and nothing can leave.
  init() {
    descriptor = -1
    isStream = false
    isFull = true
  }

  /// - Parameter floats: the server may answer from another address.
  init(udp socket: consuming FileDescriptor, peer: Endpoint, floats: Bool, mode: OffloadMode) throws(SystemFailure) {
    var made = try UDPSocket(socket, peer: peer, mode: mode)
    made.acceptsStrangers = floats
    descriptor = made.descriptor
    udp = consume made
    isStream = false
  }

  init(tcp socket: consuming FileDescriptor, peer: Endpoint, mode: OffloadMode) throws(SystemFailure) {
    let made = try TCPSocket(socket, mode: mode)
    let state = made.connect(to: peer)
    descriptor = made.descriptor
    tcp = consume made
    isStream = true
    switch state {
    case .connected: break
    case .underWay: isConnecting = true
    case .failed(let number): fault = Self.fault(number)
    }
  }

  var isOpen: Bool { descriptor >= 0 }
  var isBroken: Bool { fault != nil }

  var localEndpoint: Endpoint? {
    mutating get { isStream ? tcp?.localEndpoint : udp?.localEndpoint }
  }

  var interest: Poller.Readiness {
    if isConnecting { return .writable }
    return isFull ? .readableOrWritable : .readable
  }

  /// Call when writable: sees how the connection came out.
  mutating func finishConnecting() {
    guard isConnecting, let number = tcp?.connectResult() else { return }
    isConnecting = false
    if number != 0 { fault = Self.fault(number) }
  }

  /// One control packet, without a length.
  mutating func send(_ packet: [UInt8], sealed: borrowing Burst, from cursor: inout FlushCursor) {
    guard isStream else {
      // What does not leave is lost like any datagram: control packets are repeated.
      if let number = udp?.send(packet), number != 0 { noteUDP(number) }
      return
    }
    guard records.count - written + packet.count + 2 <= Self.mostQueued, packet.count <= Int(UInt16.max) else {
      fault = Fault(.tcpTimeout, "the server does not take our packets")
      return
    }
    records.append(bigEndian: UInt16(packet.count))
    records += packet
    flush(sealed, from: &cursor)
  }

  /// One packet that nobody may fragment; a stream has none such.
  ///
  /// - Returns: false when it did not leave. Too large for our own device is no fault: the MTU is reported.
  mutating func sendWhole(_ packet: [UInt8]) -> Bool {
    guard let number = udp?.sendWhole(packet), number != 0 else { return !isStream }
    noteUDP(number)
    return false
  }

  /// What the network, or our own device, said of the path's MTU since it was last asked for.
  mutating func takeReportedMTU() -> Int? { udp?.takeReportedMTU() }

  /// Writes what waits: the rest of a packet begun, control records, then the sealed packets.
  mutating func flush(_ sealed: borrowing Burst, from cursor: inout FlushCursor) {
    guard fault == nil, !isConnecting else { return }
    if isStream {
      if isStopped(tcp?.flushStarted(sealed, from: &cursor)) { return }
      if written < records.count {
        if isStopped(tcp?.send(records, from: &written)) { return }
        records.removeAll(keepingCapacity: true)
        written = 0
      }
      if isStopped(tcp?.flush(sealed, from: &cursor)) { return }
    } else if isStopped(udp?.flush(sealed, from: &cursor)) {
      return
    }
    isFull = false
  }

  /// True when nothing more can be written now, or ever.
  private mutating func isStopped(_ flushed: Flushed?) -> Bool {
    switch flushed {
    case .done, nil: return false
    case .full: isFull = true
    case .broken(let number): fault = Self.fault(number)
    }
    return true
  }

  mutating func fill(_ burst: inout Burst, slot: Int) -> Filled { udp?.fill(&burst, slot: slot) ?? .nothing }
  mutating func fill(_ stream: inout StreamBuffer) -> Filled { tcp?.fill(&stream) ?? .nothing }

  /// `float`: where in the burst of the last read packets lie that did not come from where ours go.
  var strangersPackets: Range<Int> {
    mutating get { udp?.strangersPackets ?? 0..<0 }
  }
  /// Ours go from now on where these came from.
  mutating func followStranger() -> Endpoint? { udp?.followStranger() }

  /// The last read found less than it had room for.
  var isDrained: Bool {
    mutating get { isStream ? tcp?.isDrained ?? true : udp?.isDrained ?? true }
  }

  /// How packets travel together by this socket.
  var offloads: Offloads {
    mutating get { isStream ? tcp?.offloads ?? Offloads() : udp?.offloads ?? Offloads() }
  }

  var hasSteps: Bool {
    mutating get { udp?.hasSteps == true }
  }
  /// What the socket gave up since the last call.
  mutating func takeSteps() -> [OffloadStep] { udp?.takeSteps() ?? [] }

  mutating func drainErrors() { udp?.drainErrors() }

  /// Takes the last error that network or peer reported, as what it means while nobody has answered.
  mutating func takeError() -> Fault? {
    guard let number = udp?.lastError, number != 0 else { return nil }
    udp?.lastError = 0
    switch number {
    case ECONNREFUSED: return Fault(.serverSilent, "nothing listens at its port")
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN: return Fault(.noPath)
    default: return nil
    }
  }

  var socketCounters: UDPSocket.Counters? {
    mutating get { udp?.counters }
  }

  private mutating func noteUDP(_ number: Int32) {
    if number == EBADF || number == ENOTSOCK { fault = Self.fault(number) }
  }

  mutating func fail(_ number: Int32) { fail(Self.fault(number)) }
  mutating func fail(_ fault: Fault) {
    if isOpen { self.fault = fault }
  }

  private static func fault(_ number: Int32) -> Fault {
    switch number {
    case ECONNREFUSED: Fault(.tcpRefused)
    case ETIMEDOUT: Fault(.tcpTimeout)
    case ECONNRESET, EPIPE: Fault(.tcpClosed)
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN: Fault(.noPath)
    default: Fault(.socketFailed, SystemFailure("socket", number).reason)
    }
  }
}
