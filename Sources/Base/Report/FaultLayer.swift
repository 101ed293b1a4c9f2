extension Fault {
  /// What the tunnel rests on, in that order: where one fails, those behind it cannot be judged.
  package enum Layer: String, Hashable, Sendable, CaseIterable, Comparable {
    case configuration
    /// The router itself: its kernel, its devices, our own processes.
    case router
    case carrier, address, gateway
    /// The internet beyond the provider's router.
    case outside
    case name
    /// The server answers at all.
    case server
    case tls, auth
    /// Packets come back through the tunnel.
    case data
    /// The resolver inside the tunnel answers.
    case dns

    private var depth: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (left: Layer, right: Layer) -> Bool { left.depth < right.depth }

    /// As a person would call it.
    package var words: String {
      switch self {
      case .configuration: "configuration"
      case .router: "this router"
      case .carrier: "cable"
      case .address: "address"
      case .gateway: "provider's router"
      case .outside: "internet outside"
      case .name: "server's name"
      case .server: "server"
      case .tls: "TLS"
      case .auth: "login"
      case .data: "data"
      case .dns: "DNS inside"
      }
    }
  }
}

extension Fault.Code {
  /// Where it fails.
  package var layer: Fault.Layer {
    switch self {
    case .configurationInvalid, .credentialsMissing, .keyPasswordMissing, .keyPasswordWrong, .certificateUnreadable,
      .keyUnreadable, .keyMismatch, .pkcs12Unreadable, .pkcs12NeedsLegacy, .crlUnreadable, .crlUnusable,
      .tlsOptionsInvalid, .wrapKeyInvalid:
      .configuration
    case .socketFailed, .tunUnavailable, .deviceTaken, .networkPlanFailed, .subnetConflict, .firewallFailed,
      .engineDied, .engineMisbehaved, .internalError:
      .router
    case .uplinkOff, .carrierLost, .wifiLost: .carrier
    case .noAddress: .address
    case .noPath, .gatewaySilent: .gateway
    case .outsideSilent: .outside
    case .resolverSilent, .nameUnresolved: .name
    case .serverSilent, .serverSilentOrWrongKey, .tcpRefused, .tcpTimeout, .tcpClosed, .tcpFramingBroken,
      .keepaliveTimeout, .inactive, .sessionTimeout, .serverRestart, .serverHalt, .serverExit:
      .server
    case .handshakeTimeout, .wrapRejected, .controlChannelBroken, .tlsFailed, .tlsProtocolVersion, .tlsNoSharedCipher,
      .tlsAlert, .tlsCertificateUntrusted, .tlsCertificateExpired, .tlsCertificateNotYetValid, .tlsCertificateRevoked,
      .tlsCertificateWrongUsage, .tlsCertificateWrongName, .tlsCertificateWrongFingerprint, .tlsCertificateTooWeak,
      .keyExchangeFailed, .keyMaterialInvalid, .renegotiationFailed, .keysExpired:
      .tls
    case .authFailed, .authTemporary, .authTokenExpired, .authChallenge, .authPendingTimeout, .codeSpent: .auth
    case .pushTimeout, .pushInvalid, .pushRejected, .cipherRefused, .cipherUnsupported, .compressionRefused,
      .noTunnelAddress, .decryptFailed, .dataSilent:
      .data
    case .innerResolverSilent: .dns
    }
  }
}
