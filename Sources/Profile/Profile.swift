package import Base

/// Everything a client profile says, checked and typed. Made by `Profile.parse`, never by hand outside tests.
package struct Profile: Hashable, Sendable {
  /// In file order; every remote is complete (globals filled in).
  package var remotes: [Remote] = []
  package var remoteRandom = false
  package var remoteRandomHostname = false
  /// `nil` = for ever.
  package var resolveRetry: Duration?
  package var connectRetry: Duration = .seconds(1)
  package var connectRetryMaximum: Duration = .seconds(300)
  /// Rounds over all remotes; `nil` = unlimited.
  package var connectRetryLimit: Int?

  package var wantsCredentials = false
  /// `auth-user-pass` with the file read in; `nil` when it names none.
  package var credentials: Credentials?
  /// How the third line of the credentials answers `static-challenge`.
  package var staticChallenge: ChallengeFormat?
  package var authNoCache = false
  package var pushPeerInfo = false
  /// `setenv UV_x v`, `setenv IV_x v`: extra lines of peer info.
  package var peerInfo: [NameValue] = []

  package var tls = TLSOptions()
  /// In order of preference.
  package var dataCiphers: [DataCipher] = [.aes256GCM, .aes128GCM, .chacha20Poly1305]
  package var dataCipherFallback: DataCipher?
  /// The old `cipher` option: only for the options string and for servers that do not negotiate.
  package var cipher: DataCipher?
  /// `nil` = `auth none`.
  package var auth: Digest? = .sha1
  /// `nil` = no compression option in the profile.
  package var compression: CompressionFraming?
  /// `allow-compression asym` or `yes`: real compressors may be pushed, and are only ever decompressed.
  package var allowsCompression = false

  package var timers = Timers()
  package var replayWindow = 64
  package var replayTime: Duration = .seconds(15)

  /// `dev` when it names a device; `nil` for plain `dev tun`.
  package var device: DeviceName?
  /// What the profile itself says about addresses, routes and DNS.
  package var tunnel = TunnelOptions()
  package var pullFilters: [PullFilter] = []
  package var routeNoPull = false
  package var routeNoExec = false
  package var persistRemoteIP = false
  package var receiveBuffer: Int?
  package var sendBuffer: Int?
  package var transmitQueueLength: Int?
  package var mark: UInt32?
  package var bindDevice: DeviceName?
  package var float = false

  package init() {}
}

package struct NameValue: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

package struct Credentials: Hashable, Sendable {
  package var user: String
  package var password: SecretBytes
  /// A third line: a one-time password, appended or sent as the challenge's answer.
  package var oneTimePassword: SecretBytes?

  package init(user: String, password: SecretBytes, oneTimePassword: SecretBytes? = nil) {
    self.user = user
    self.password = password
    self.oneTimePassword = oneTimePassword
  }
}

/// `static-challenge`: how password and answer travel in one field (protocol.md section 11.6).
package enum ChallengeFormat: String, Hashable, Sendable {
  /// `SCRV1:` and both in base64.
  case scrv1
  /// One behind the other.
  case concatenated = "concat"
}

/// One server to try, with what a `<connection>` block may set.
package struct Remote: Hashable, Sendable {
  package var host: String
  package var port: UInt16
  package var transport: Transport
  /// `proto udp4`, `tcp6-client`…; `nil` = both.
  package var family: AddressFamily?
  package var wrap: ControlWrapOptions = .none
  /// `server-poll-timeout` / `connect-timeout`.
  package var connectTimeout: Duration = .seconds(120)
  /// Notices to send on exit; 0 = none. UDP only.
  package var explicitExitNotify = 0
  package var localAddress: IPAddress?
  package var localPort: UInt16?
  package var tunMTU = 1500
  package var tunMTUMaximum = 1600
  package var mssFix: MSSFix = .standard
  /// UDP only.
  package var fragment: FragmentLimit?
  /// Largest control packet on the wire with IP and UDP headers (protocol.md section 1.5).
  package var maximumControlPacket = 1250
  private var origin: Origin

  package var location: SourceLocation { origin.location }

  package init(host: String, port: UInt16 = 1194, transport: Transport = .udp, location: SourceLocation) {
    self.host = host
    self.port = port
    self.transport = transport
    origin = Origin(location: location)
  }
}

/// Where something was written: no part of what it means, so that a profile equals the one its canonical text makes.
struct Origin: Hashable, Sendable {
  var location: SourceLocation

  static func == (left: Origin, right: Origin) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

/// How large TCP may make its packets inside the tunnel.
package enum MSSFix: Hashable, Sendable {
  /// Nothing said: 1492 with headers, or the tun MTU when that is not 1500.
  case standard
  case off
  /// Outer packet without IP and UDP headers.
  case packet(Int)
  /// Outer packet with headers.
  case outer(Int)
  /// Inner IP packet.
  case inner(Int)
}

/// `fragment`: no data packet is larger outside; what does not fit travels in several, put together at the other end.
package struct FragmentLimit: Hashable, Sendable {
  package var size: Int
  /// The headers of IP and UDP count too.
  package var includesHeaders: Bool

  package init(size: Int, includesHeaders: Bool) {
    self.size = size
    self.includesHeaders = includesHeaders
  }
}

/// How control packets are wrapped (protocol.md section 3). Keys are the raw text of the key files.
package enum ControlWrapOptions: Hashable, Sendable {
  case none
  /// Direction 0, 1 or none.
  case tlsAuth(key: SecretBytes, direction: Int?)
  case tlsCrypt(key: SecretBytes)
  case tlsCryptV2(clientKey: SecretBytes)
}

package struct Timers: Hashable, Sendable {
  /// `ping`; `nil` = off until pushed.
  package var ping: Duration?
  /// `ping-restart`; `.zero` = off; `nil` = not said (120 s on UDP until pushed).
  package var pingRestart: Duration?
  package var handWindow: Duration = .seconds(60)
  package var transitionWindow: Duration = .seconds(3600)
  /// `.zero` = never by ourselves.
  package var renegotiateAfter: Duration = .seconds(3600)
  /// 0 = off.
  package var renegotiateBytes: UInt64 = 0
  package var renegotiatePackets: UInt64 = 0
  package var tlsTimeout: Duration = .seconds(2)
  package var inactive: Duration?
  package var inactiveBytes: UInt64 = 0
  package var sessionTimeout: Duration?

  package init() {}
}

package struct PullFilter: Hashable, Sendable {
  package enum Action: String, Hashable, Sendable { case accept, ignore, reject }

  package var action: Action
  /// Compared with the start of the raw pushed option.
  package var prefix: String

  package init(action: Action, prefix: String) {
    self.action = action
    self.prefix = prefix
  }
}
