package import Base
internal import CLinux
internal import Glibc

/// An unconnected UDP socket with one peer: it follows the kernel's choice of path by itself, and takes packets of the
/// peer's address and port only. Reads and writes whole bursts; nothing here allocates after `init`.
///
/// Data may be fragmented on its way: no packet is lost for its size alone while nobody knows what the path takes. Only
/// what `sendWhole` sends may not, and its errors tell the MTU.
@safe package struct UDPSocket: ~Copyable {
  package struct Counters: Hashable, Sendable {
    /// From somebody else.
    package var foreign: UInt64 = 0
    /// Larger than a slot.
    package var truncated: UInt64 = 0
    /// Too large for the path or the device (EMSGSIZE).
    package var tooLarge: UInt64 = 0
    /// The device's queue was full (ENOBUFS).
    package var noBuffers: UInt64 = 0
    /// Refused by a firewall or without a route.
    package var unsent: UInt64 = 0
    /// ICMP errors that came back.
    package var reported: UInt64 = 0
    /// Those that name the MTU of the path or of our own device.
    package var pathReports: UInt64 = 0
  }

  package internal(set) var counters = Counters()
  /// `float`: packets of other addresses are taken too.
  package var acceptsStrangers = false
  /// Then: the last message of the last read that did not come from the peer.
  var stranger: Stranger?
  /// The last error of network or peer, an errno; the owner clears it.
  package var lastError: Int32 = 0

  /// The smallest MTU that network or device named since it was last asked for.
  private var reportedMTU: UInt32?

  let socket: FileDescriptor
  private let family: Int32
  var peer: adit_address
  let batch: OpaquePointer
  let list: UnsafeMutablePointer<adit_datagram>

  /// What it does with many datagrams at once.
  package internal(set) var offloads: Offloads = []
  /// What it gave up, and has not told yet.
  var steps: [OffloadStep] = []
  /// Larger datagrams leave one by one: the kernel has refused to cut a run of such.
  var largestSegment = Int.max
  /// The last read took less than it had room for.
  package internal(set) var isDrained = false
  /// It brought messages longer than a slot.
  var hasLong = false

  /// - Parameter mode: what may be tried; what the kernel lacks is a step told by `takeSteps`.
  package init(
    _ socket: consuming FileDescriptor, peer: Endpoint, mode: OffloadMode = .mmsg
  ) throws(SystemFailure) {
    guard let batch = unsafe adit_batch_create() else { throw SystemFailure("allocate", ENOMEM) }
    unsafe self.batch = batch
    unsafe list = .allocate(capacity: ADIT_BATCH)
    unsafe list.initialize(repeating: adit_datagram(), count: ADIT_BATCH)
    self.socket = socket
    self.peer = adit_address(peer)
    family = Int32(peer.address.family.rawValue)
    _ = adit_set_nonblocking(self.socket.raw)
    _ = adit_socket_report_errors(self.socket.raw, family)
    _ = adit_socket_keep_whole(self.socket.raw, family, 0)
    probe(mode)
  }

  /// Somebody else than the peer, who may be the server at another address.
  struct Stranger {
    /// Places in the burst.
    let packets: Range<Int>
    let address: adit_address
  }

  deinit {
    unsafe adit_batch_free(batch)
    unsafe list.deallocate()
  }

  package var descriptor: Int32 { socket.raw }

  /// Our end; the address is unspecified until bound, the port 0 until the first packet has left.
  package var localEndpoint: Endpoint? {
    var address = adit_address()
    return unsafe adit_local_address(socket.raw, &address) < 0 ? nil : address.endpoint
  }

  /// Where in the burst of the last read the packets lie that may show the server to have moved; empty when all are the peer's.
  package var strangersPackets: Range<Int> {
    mutating get { stranger?.packets ?? 0..<0 }
  }

  /// Takes who sent them for the peer from now on.
  package mutating func followStranger() -> Endpoint? {
    guard let address = stranger.take()?.address else { return nil }
    peer = address
    return address.endpoint
  }

  /// Sends one datagram. A full queue loses it, as the network may.
  /// - Returns: 0, or an errno.
  package mutating func send(_ packet: [UInt8]) -> Int32 {
    for attempt in 0... {
      let result = unsafe packet.withUnsafeBytes { unsafe adit_send_to(socket.raw, $0.baseAddress, $0.count, &peer) }
      if result >= 0 { return 0 }
      let number = Int32(truncatingIfNeeded: -result)
      if number == EAGAIN || number == ENOBUFS { return number }
      note(number)
      if attempt == 1 { return number }
    }
    return 0
  }

  /// Sends one datagram that nobody may fragment, larger than the path was known to take or not.
  ///
  /// - Returns: 0, or an errno: EMSGSIZE when it is too large for our own device, whose MTU is then reported.
  package mutating func sendWhole(_ packet: [UInt8]) -> Int32 {
    guard adit_socket_keep_whole(socket.raw, family, 1) >= 0 else { return send(packet) }
    let result = send(packet)
    _ = adit_socket_keep_whole(socket.raw, family, 0)
    return result
  }

  /// Takes what the network said about the MTU of the path, headers included: hearsay, which anybody who can guess our
  /// port may have sent.
  package mutating func takeReportedMTU() -> Int? {
    reportedMTU.take().map { Int($0) }
  }

  /// Remembers the error and empties the kernel's error queue: while something is in it, the socket counts as ready.
  mutating func note(_ number: Int32) {
    if number != EMSGSIZE { lastError = number }
    drainErrors()
  }

  /// Call when the poller says broken.
  package mutating func drainErrors() {
    var left = Self.mostErrorsAtOnce
    while left > 0 {
      var mtu: UInt32 = 0
      let number = unsafe adit_socket_queued_error(socket.raw, &mtu)
      if number == 0 { break }
      counters.reported &+= 1
      if mtu > 0 {
        counters.pathReports &+= 1
        reportedMTU = min(reportedMTU ?? mtu, mtu)
      }
      // That one packet was too large says nothing of the peer.
      if number != EMSGSIZE { lastError = number }
      left -= 1
    }
    _ = adit_socket_error(socket.raw)
  }

  private static let mostErrorsAtOnce = 64
}
