import Base

/// What may be said for all remotes or inside one `<connection>` block.
struct RemoteScope {
  struct Address {
    var host: String
    var port: UInt16?
    var transport: TransportWord?
    var location: SourceLocation
  }

  struct Key {
    var body: SecretBytes
    var location: SourceLocation
  }

  var addresses: [Address] = []
  var port: UInt16?
  var transport: TransportWord?
  var localAddress: IPAddress?
  var localPort: UInt16?
  var connectTimeout: Duration?
  var explicitExitNotify: Int?
  var tunMTU: Int?
  var tunMTUMaximum: Int?
  var mssFix: MSSFix?
  /// `mssfix` was said without a size: it takes that of `fragment`.
  var mssFixFollowsFragment = false
  var fragment: FragmentLimit?
  var maximumControlPacket: Int?
  var tlsAuth: Key?
  var tlsCrypt: Key?
  var tlsCryptV2: Key?
  /// Outer `nil` = nothing said.
  var keyDirection: Int??
  var location: SourceLocation?

  /// What is not said here is taken from `globals`, wherever in the file those stand (cases O-07).
  func filled(from globals: RemoteScope) -> RemoteScope {
    var scope = self
    scope.port = port ?? globals.port
    scope.transport = transport ?? globals.transport
    scope.localAddress = localAddress ?? globals.localAddress
    scope.localPort = localPort ?? globals.localPort
    scope.connectTimeout = connectTimeout ?? globals.connectTimeout
    scope.explicitExitNotify = explicitExitNotify ?? globals.explicitExitNotify
    scope.tunMTU = tunMTU ?? globals.tunMTU
    scope.tunMTUMaximum = tunMTUMaximum ?? globals.tunMTUMaximum
    if mssFix == nil {
      scope.mssFix = globals.mssFix
      scope.mssFixFollowsFragment = globals.mssFixFollowsFragment
    }
    scope.fragment = fragment ?? globals.fragment
    scope.maximumControlPacket = maximumControlPacket ?? globals.maximumControlPacket
    scope.keyDirection = keyDirection ?? globals.keyDirection
    if tlsAuth == nil, tlsCrypt == nil, tlsCryptV2 == nil {
      scope.tlsAuth = globals.tlsAuth
      scope.tlsCrypt = globals.tlsCrypt
      scope.tlsCryptV2 = globals.tlsCryptV2
    }
    return scope
  }

  /// The key that comes second when two wraps exclude each other (cases O-46).
  var conflictingWrap: SourceLocation? {
    let keys = [tlsAuth, tlsCrypt, tlsCryptV2].compactMap { $0?.location }
    return keys.count > 1 ? keys.max { $0.line < $1.line } : nil
  }

  var wrap: ControlWrapOptions {
    if let key = tlsCryptV2 { return .tlsCryptV2(clientKey: key.body) }
    if let key = tlsCrypt { return .tlsCrypt(key: key.body) }
    if let key = tlsAuth { return .tlsAuth(key: key.body, direction: keyDirection ?? nil) }
    return .none
  }

  func remote(at address: Address) -> Remote {
    let word = address.transport ?? transport
    var remote = Remote(
      host: address.host, port: address.port ?? port ?? 1194, transport: word?.transport ?? .udp,
      location: address.location)
    remote.family = word?.family
    remote.wrap = wrap
    remote.localAddress = localAddress
    remote.localPort = localPort
    if let connectTimeout { remote.connectTimeout = connectTimeout }
    // On TCP the closed connection tells the server (cases O-31).
    if remote.transport == .udp { remote.explicitExitNotify = explicitExitNotify ?? 0 }
    if let tunMTU { remote.tunMTU = tunMTU }
    if let tunMTUMaximum { remote.tunMTUMaximum = max(tunMTUMaximum, remote.tunMTUMaximum) }
    remote.tunMTUMaximum = max(remote.tunMTUMaximum, remote.tunMTU)
    remote.fragment = fragment
    if let maximumControlPacket { remote.maximumControlPacket = maximumControlPacket }
    if let mssFix {
      remote.mssFix = mssFix
    } else if let maximumControlPacket {
      remote.mssFix = .outer(maximumControlPacket)
    }
    if mssFixFollowsFragment, let fragment {
      remote.mssFix = fragment.includesHeaders ? .outer(fragment.size) : .packet(fragment.size)
    }
    return remote
  }
}
