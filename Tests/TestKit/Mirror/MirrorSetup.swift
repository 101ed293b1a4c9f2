import Base
import ControlChannel
import Crypto
import DataChannel

/// How the mirror of a server behaves. The defaults are those of an OpenVPN 2.6 server.
package struct MirrorSetup {
  package enum Wrap {
    case none
    case tlsAuth(StaticKey, Digest)
    case tlsCrypt(StaticKey)
    /// Asks for the wrapped key again, as a server that keeps no state does.
    case tlsCryptV2(TLSCryptV2ServerKey, resend: Bool)
  }

  package var authority: TestCertificate
  package var certificate: TestCertificate
  package var wantsCertificate = true
  package var wrap = Wrap.none
  package var transport = Transport.udp
  package var cipher = DataCipher.aes256GCM
  package var auth: Digest? = .sha256
  package var compression = CompressionFraming.none
  /// Bytes of its largest datagram with data.
  package var fragment: Int?
  /// `nil` = DATA_V1 and nothing pushed.
  package var peerID: UInt32? = 5
  /// False = a server that does not negotiate: no `cipher` in the push.
  package var pushesCipher = true
  package var exportsKeys = true
  package var dynamicTLSCrypt = false
  package var controlChannelExit = true
  /// The data format of OpenVPN 2.7.
  package var usesEpochs = false
  /// What else is pushed, in order; parts become messages with push-continuation.
  package var pushParts: [[String]] = [
    ["topology subnet", "route-gateway 10.8.0.1", "ifconfig 10.8.0.2 255.255.255.0"]
  ]
  /// Answers without being asked.
  package var pushesUnasked = true
  /// Requests that go unanswered first.
  package var ignoredRequests = 0
  /// Ends the push reply with NUL, which SoftEther forgets.
  package var endsWithNUL = true
  package var user: String?
  package var password: String?
  /// Accepted in place of the password.
  package var token: String?
  package var options =
    "V4,dev-type tun,link-mtu 1549,tun-mtu 1500,proto UDPv4,auth [null-digest],key-method 2,tls-server"
  /// Sends user name, password and peer info, all empty, behind the options.
  package var sendsTail = true
  package var renegotiateAfter: Duration?
  /// Sends on a new key only after this.
  package var holdOff: Duration = .seconds(2)
  package var ping: Duration?
  /// Goes on with a session whose peer id comes from another address.
  package var floats = true
  /// Its own address in the tunnel answers pings.
  package var answersEchoes = true
  /// Never answers the first packet.
  package var isDeaf = false

  package init(authority: TestCertificate, certificate: TestCertificate) {
    self.authority = authority
    self.certificate = certificate
  }

  /// The push replies, each without `PUSH_REPLY`.
  var replies: [[String]] {
    var parts = pushParts
    var extra: [String] = []
    if let peerID { extra.append("peer-id \(peerID)") }
    if pushesCipher { extra.append("cipher \(cipher.rawValue)") }
    var flags: [String] = []
    if controlChannelExit { flags.append("cc-exit") }
    if exportsKeys { flags.append("tls-ekm") }
    if dynamicTLSCrypt { flags.append("dyn-tls-crypt") }
    if usesEpochs { flags.append("aead-epoch") }
    if !flags.isEmpty { extra.append("protocol-flags " + flags.joined(separator: " ")) }
    if parts.isEmpty { parts = [[]] }
    parts[parts.count - 1] += extra
    guard parts.count > 1 else { return parts }
    return parts.indices.map { parts[$0] + ["push-continuation \($0 == parts.count - 1 ? 1 : 2)"] }
  }
}
