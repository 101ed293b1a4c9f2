extension Note {
  package struct Entry: Sendable {
    package var level: Level
    package var sentence: String
  }

  /// Every line a pure room may ask for. Add here, in the plain words of a router owner.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case resolving, resolved, connecting, serverAnswered, tlsEstablished, keysAgreed, pushReceived, pushOptionIgnored
    case pushOptionUnknown, connected, renegotiating, renegotiated, sessionEnding, serverMessage, authPending, openURL
    case tokenReceived, noServerCheck, packetsDropped, textIgnored, retryIn, sessionFailed
    case remembered, roamed, serverMoved, pathMTU
    case offloadMissing, offloadGivenUp, offloadLimited, offloadMangled
    case takesOver, servesAgain, leavesByWAN
    case triesBeside, servesInstead, staysInstead, oneSessionOnly, breaksFirst
    case tlsNameSkipped, tlsOldVersionsNeedLevel, revocationListMissing

    package var entry: Entry { Self.table[self] ?? Entry(level: .debug, sentence: rawValue) }

    package static let table: [Code: Entry] = [
      .resolving: Entry(level: .info, sentence: "asking for the address of {0}"),
      .resolved: Entry(level: .info, sentence: "{0} has the address {1}"),
      .remembered: Entry(level: .warning, sentence: "{0}; trying the addresses remembered from {1}"),
      .connecting: Entry(level: .info, sentence: "connecting to {0} over {1}"),
      .serverAnswered: Entry(level: .info, sentence: "the server answered, starting TLS"),
      .tlsEstablished: Entry(level: .info, sentence: "TLS is up: {0}, server {1}"),
      .keysAgreed: Entry(level: .debug, sentence: "keys exchanged, asking for settings"),
      .pushReceived: Entry(level: .info, sentence: "the server sent {0} settings"),
      .pushOptionIgnored: Entry(level: .debug, sentence: "the server's setting \"{0}\" is ignored: {1}"),
      .pushOptionUnknown: Entry(level: .debug, sentence: "the server's setting \"{0}\" is unknown and ignored"),
      .connected: Entry(level: .info, sentence: "connected: address {0}, cipher {1}"),
      .renegotiating: Entry(level: .info, sentence: "new keys are being agreed on ({0})"),
      .renegotiated: Entry(level: .info, sentence: "new keys are in use (key {0})"),
      .sessionEnding: Entry(level: .info, sentence: "saying goodbye to the server"),
      .serverMessage: Entry(level: .info, sentence: "the server says: {0}"),
      .authPending: Entry(level: .info, sentence: "the server waits for a login outside the tunnel, up to {0} s"),
      .openURL: Entry(level: .warning, sentence: "the server asks to open {0}"),
      .tokenReceived: Entry(level: .debug, sentence: "the server gave a session token"),
      .noServerCheck: Entry(
        level: .warning,
        sentence: "the profile does not check who the server is: any client of the same CA could pose as it"),
      .packetsDropped: Entry(level: .warning, sentence: "{0} packets dropped in the last minute: {1}"),
      .textIgnored: Entry(level: .debug, sentence: "an unknown message of the server is ignored: {0}"),
      .retryIn: Entry(level: .info, sentence: "trying again in {0}"),
      .serverMoved: Entry(level: .info, sentence: "the server answers from {0}: packets go there"),
      .pathMTU: Entry(level: .info, sentence: "path {0}, tunnel {1}, MSS {2}"),
      .takesOver: Entry(level: .warning, sentence: "{0} takes over: {1}"),
      .leavesByWAN: Entry(
        level: .warning, sentence: "{0} is down and kill_switch is 'off': all leaves by the WAN in the clear"),
      .roamed: Entry(level: .info, sentence: "the session lives on by {0}"),
      .servesAgain: Entry(level: .info, sentence: "{0} serves again, up for {1}"),
      .triesBeside: Entry(level: .info, sentence: "{0} is tried beside the session that serves"),
      .servesInstead: Entry(level: .info, sentence: "{0} serves now, by {1}; the session before leaves"),
      .staysInstead: Entry(level: .info, sentence: "{0} does not take over ({1}); all stays as it is{2}"),
      .oneSessionOnly: Entry(
        level: .info, sentence: "the login seems good for one session at a time: from now on the old one ends first"),
      .breaksFirst: Entry(level: .info, sentence: "{0} answers: the session that serves ends for it"),
      .tlsNameSkipped: Entry(level: .info, sentence: "{0}: {1} is unknown to this OpenSSL and skipped"),
      .tlsOldVersionsNeedLevel: Entry(
        level: .warning,
        sentence: "tls-version-min allows TLS below 1.2, but OpenSSL uses that only with tls-cert-profile insecure"),
      .revocationListMissing: Entry(
        level: .warning,
        sentence: "crl-verify has no list of the authority {0}: what it revoked is not found out"),
      .offloadMissing: Entry(level: .info, sentence: "{0} is not used: the kernel does not have it ({1})"),
      .offloadGivenUp: Entry(
        level: .warning, sentence: "{0} is not used any more: kernel or device refuses it ({1}); no packet was lost"),
      .offloadLimited: Entry(
        level: .info, sentence: "{0} is not used for packets of {1} bytes and more, which kernel or device refuses"),
      .offloadMangled: Entry(
        level: .warning,
        sentence: "{0} is not used: this version of Linux damages packets so; option offload 'gso' uses it nevertheless"
      ),
      .sessionFailed: Entry(level: .warning, sentence: "{0}"),
    ]
  }
}
