package import Base

/// What a server pushed, after pull filters and the allow-list (protocol.md sections 11.4, 13.8).
package struct PushedOptions: Hashable, Sendable {
  package var tunnel = TunnelOptions()
  /// `nil` = none pushed: DATA_V1. `0xFFFFFF` is a valid id.
  package var peerID: UInt32?
  package var cipher: DataCipher?
  package var auth: Digest?
  /// `key-derivation tls-ekm` or the protocol flag.
  package var exportsKeys = false
  package var dynamicTLSCrypt = false
  package var controlChannelExit = false
  package var epochDataFormat = false
  package var compression: CompressionFraming?
  package var ping: Duration?
  package var pingRestart: Duration?
  package var inactive: Duration?
  package var inactiveBytes: UInt64 = 0
  package var sessionTimeout: Duration?
  package var explicitExitNotify: Int?
  package var authToken: SecretBytes?
  package var authTokenUser: String?
  /// 2 = more parts follow, 1 = last part, `nil` = complete.
  package var continuation: Int?
  /// The accepted items as the server wrote them, for the supervisor to parse again.
  package var items: [String] = []

  package init() {}
}
