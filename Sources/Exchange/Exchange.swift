package import Base

// What the supervisor (root) and an engine (nobody) say to each other. Every message carries the attempt it belongs to, so
// that nothing stale is acted on. To root every message of the engine is hostile input.

/// Counts the sessions of one tunnel, over engine lives; never reused while the supervisor lives.
package struct Attempt: Hashable, Sendable, Comparable {
  package var number: UInt32

  package init(_ number: UInt32) { self.number = number }
  package static func < (left: Attempt, right: Attempt) -> Bool { left.number < right.number }
  package var next: Attempt { Attempt(number &+ 1) }
}

/// Which kind of spare socket a descriptor is.
package enum SocketKind: UInt8, Hashable, Sendable, CaseIterable {
  case udp4 = 1
  case udp6 = 2
  case tcp4 = 3
  case tcp6 = 4

  package init(_ transport: Transport, _ family: AddressFamily) {
    switch (transport, family) {
    case (.udp, .ipv4): self = .udp4
    case (.udp, .ipv6): self = .udp6
    case (.tcp, .ipv4): self = .tcp4
    case (.tcp, .ipv6): self = .tcp6
    }
  }
}

/// Supervisor to engine.
package enum Order: Hashable, Sendable {
  /// First message, and again after a reload or when credentials changed. The canonical profile text rides in a sealed memfd.
  case configure(tunnel: String, profile: SecretBytes, offload: OffloadMode)
  /// Spare marked sockets; one descriptor each, in this order.
  case sockets([SocketKind])
  case resolve(ResolveOrder)
  case connect(ConnectOrder)
  /// The network of `attempt` stands as pushed; the first time one descriptor rides along: the tun.
  case applied(Attempt, mtu: UInt16)
  /// It could not be made.
  case refused(Attempt, Fault.Code)
  /// End the session, with notices when the profile asks; the engine stays.
  case stop(Attempt)
  case reportCounters
  /// Watch the answers of the DNS for these domains from now on.
  case watch(WatchOrder)
  /// The addresses of that report stand, or never will.
  case namesApplied(UInt32)
  /// New keys now.
  case renegotiate(Attempt)
  /// False: the kernel knows no way to the server, so nothing is asked and nothing judged. True: the way is another, or is
  /// back, or the host slept; the session goes on from it and says what became of it (`SessionEvent.proof`).
  case path(Attempt, isUsable: Bool)
  /// For this session and all later ones.
  case health(HealthOrder)
  /// Certificates are judged by this time from now on, those of the running session first: it renegotiates.
  case clock(Attempt, WallTime)
  /// Find out how large inner packets may be, `ceiling` at most; `start` bytes passed the last time on this way.
  case measure(Attempt, ceiling: UInt16, start: UInt16?)
  case quit
}

package struct ResolveOrder: Hashable, Sendable {
  package var attempt: Attempt
  package var host: String
  /// `nil` = both.
  package var family: AddressFamily?
  /// Upstream resolvers of the uplink, in order.
  package var resolvers: [Endpoint]

  package init(attempt: Attempt, host: String, family: AddressFamily?, resolvers: [Endpoint]) {
    self.attempt = attempt
    self.host = host
    self.family = family
    self.resolvers = resolvers
  }
}

package struct ConnectOrder: Hashable, Sendable {
  package var attempt: Attempt
  /// Index into the profile's remotes.
  package var remote: UInt16
  package var endpoint: Endpoint
  /// Time for certificate checks (design: clock floor).
  package var wallTime: WallTime
  /// True when another remote or address waits, so the first answer is awaited for a few seconds only.
  package var hasAlternatives: Bool
  /// From an earlier session of this tunnel, used in place of the password.
  package var token: SecretBytes?
  package var tokenUser: String?

  package init(
    attempt: Attempt, remote: UInt16, endpoint: Endpoint, wallTime: WallTime, hasAlternatives: Bool,
    token: SecretBytes? = nil, tokenUser: String? = nil
  ) {
    self.attempt = attempt
    self.remote = remote
    self.endpoint = endpoint
    self.wallTime = wallTime
    self.hasAlternatives = hasAlternatives
    self.token = token
    self.tokenUser = tokenUser
  }
}

/// Engine to supervisor.
package enum Report: Hashable, Sendable {
  case ready
  /// Empty with a fault when the name has no address.
  case resolved(Attempt, host: String, addresses: [IPAddress], fault: Fault?)
  case event(Attempt, SessionEvent)
  case note(Note)
  case counters(Counters)
  /// How packets travel together now, by the transport and by the tun.
  case offloads(Offloads)
  /// The pool runs low on these.
  case wantsSockets([SocketKind])
  case names(NamesReport)
}

/// What a session tells its owner.
package enum SessionEvent: Hashable, Sendable {
  /// The socket is ready and the first packet left from here.
  case started(local: Endpoint?)
  case serverAnswered
  case tlsEstablished(TLSSummary)
  /// Ask: make this network, then answer `applied` or `refused`. Accepted push items as the server wrote them.
  case wantsNetwork(items: [String])
  /// Data may flow.
  case up(UpSummary)
  case renegotiated(keyID: UInt8)
  case token(SecretBytes, user: String?)
  case proof(Proof)
  /// Bytes of the largest inner packet that reaches the server and comes back.
  case mtu(UInt16)
  /// The session is over. `retryAfter` and `advance` are the server's wishes (AUTH_FAILED,TEMP; RESTART).
  case ended(EndReport)
}

package struct TLSSummary: Hashable, Sendable {
  /// `TLSv1.3`.
  package var version: String
  package var cipher: String
  package var subject: String
  package var notAfter: WallTime?

  package init(version: String, cipher: String, subject: String, notAfter: WallTime?) {
    self.version = version
    self.cipher = cipher
    self.subject = subject
    self.notAfter = notAfter
  }
}

package struct UpSummary: Hashable, Sendable {
  package var cipher: DataCipher
  /// `none`, `tls-auth`, `tls-crypt`, `tls-crypt-v2`.
  package var control: String
  /// `v1`, `v2` or `epoch`.
  package var dataFormat: String
  package var peerID: UInt32?
  package var user: String?

  package init(cipher: DataCipher, control: String, dataFormat: String, peerID: UInt32?, user: String?) {
    self.cipher = cipher
    self.control = control
    self.dataFormat = dataFormat
    self.peerID = peerID
    self.user = user
  }
}

package struct EndReport: Hashable, Sendable {
  /// Where a server wants us to go next.
  package enum Advance: UInt8, Hashable, Sendable { case stay = 0, nextAddress, nextRemote }

  package var fault: Fault?
  package var retryAfter: Duration?
  package var advance: Advance?
  /// False when the token must be forgotten.
  package var keepsToken: Bool
  /// True when the session had been up.
  package var wasUp: Bool

  package init(
    fault: Fault?, retryAfter: Duration? = nil, advance: Advance? = nil, keepsToken: Bool = true, wasUp: Bool = false
  ) {
    self.fault = fault
    self.retryAfter = retryAfter
    self.advance = advance
    self.keepsToken = keepsToken
    self.wasUp = wasUp
  }
}

/// Running totals of one engine, for status.
package struct Counters: Hashable, Sendable {
  /// From the network into the tunnel's inside, and back.
  package var tunReceivedBytes: UInt64 = 0
  package var tunSentBytes: UInt64 = 0
  package var tunReceivedPackets: UInt64 = 0
  package var tunSentPackets: UInt64 = 0
  package var tunReceiveErrors: UInt64 = 0
  package var tunSendErrors: UInt64 = 0
  package var transportReceivedBytes: UInt64 = 0
  package var transportSentBytes: UInt64 = 0
  package var transportReceivedPackets: UInt64 = 0
  package var transportSentPackets: UInt64 = 0
  package var lastPacketReceived: Instant?
  package var renegotiations: UInt64 = 0
  /// Name of the reason and how many; names come from the rooms' drop tables.
  package var drops: [Drop] = []

  package struct Drop: Hashable, Sendable {
    package var reason: String
    package var count: UInt64

    package init(_ reason: String, _ count: UInt64) {
      self.reason = reason
      self.count = count
    }
  }

  package init() {}
}
