extension Fault {
  /// The names that `status --json` and docs/ERRORS.md use.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case configurationInvalid = "configuration_invalid"
    case credentialsMissing = "credentials_missing"
    case keyPasswordMissing = "key_password_missing"
    case keyPasswordWrong = "key_password_wrong"
    case certificateUnreadable = "certificate_unreadable"
    case keyUnreadable = "key_unreadable"
    case keyMismatch = "key_mismatch"
    case pkcs12Unreadable = "pkcs12_unreadable"
    case pkcs12NeedsLegacy = "pkcs12_needs_legacy"
    case crlUnreadable = "crl_unreadable"
    case crlUnusable = "crl_unusable"
    case tlsOptionsInvalid = "tls_options_invalid"
    case wrapKeyInvalid = "wrap_key_invalid"

    case uplinkOff = "uplink_off"
    case carrierLost = "carrier_lost"
    case wifiLost = "wifi_lost"
    case noAddress = "no_address"
    case noPath = "no_path"
    case gatewaySilent = "gateway_silent"
    case outsideSilent = "outside_silent"
    case resolverSilent = "resolver_silent"
    case nameUnresolved = "name_unresolved"
    case socketFailed = "socket_failed"
    case serverSilent = "server_silent"
    case serverSilentOrWrongKey = "server_silent_or_wrong_key"
    case tcpRefused = "tcp_refused"
    case tcpTimeout = "tcp_timeout"
    case tcpClosed = "tcp_closed"
    case tcpFramingBroken = "tcp_framing_broken"
    case keepaliveTimeout = "keepalive_timeout"
    case inactive = "inactive"
    case sessionTimeout = "session_timeout"

    case handshakeTimeout = "handshake_timeout"
    case wrapRejected = "wrap_rejected"
    case controlChannelBroken = "control_channel_broken"
    case tlsFailed = "tls_failed"
    case tlsProtocolVersion = "tls_protocol_version"
    case tlsNoSharedCipher = "tls_no_shared_cipher"
    case tlsAlert = "tls_alert"
    case tlsCertificateUntrusted = "tls_certificate_untrusted"
    case tlsCertificateExpired = "tls_certificate_expired"
    case tlsCertificateNotYetValid = "tls_certificate_not_yet_valid"
    case tlsCertificateRevoked = "tls_certificate_revoked"
    case tlsCertificateWrongUsage = "tls_certificate_wrong_usage"
    case tlsCertificateWrongName = "tls_certificate_wrong_name"
    case tlsCertificateWrongFingerprint = "tls_certificate_wrong_fingerprint"
    case tlsCertificateTooWeak = "tls_certificate_too_weak"
    case keyExchangeFailed = "key_exchange_failed"
    case keyMaterialInvalid = "key_material_invalid"
    case pushTimeout = "push_timeout"
    case pushInvalid = "push_invalid"
    case pushRejected = "push_rejected"
    case cipherRefused = "cipher_refused"
    case cipherUnsupported = "cipher_unsupported"
    case compressionRefused = "compression_refused"
    case renegotiationFailed = "renegotiation_failed"
    case keysExpired = "keys_expired"
    case decryptFailed = "decrypt_failed"
    case dataSilent = "data_silent"
    case innerResolverSilent = "inner_resolver_silent"

    case authFailed = "auth_failed"
    case authTemporary = "auth_temporary"
    case authTokenExpired = "auth_token_expired"
    case authChallenge = "auth_challenge"
    case authPendingTimeout = "auth_pending_timeout"
    case codeSpent = "code_spent"

    case serverRestart = "server_restart"
    case serverHalt = "server_halt"
    case serverExit = "server_exit"

    case tunUnavailable = "tun_unavailable"
    case deviceTaken = "device_taken"
    case networkPlanFailed = "network_plan_failed"
    case subnetConflict = "subnet_conflict"
    case noTunnelAddress = "no_tunnel_address"
    case firewallFailed = "firewall_failed"
    case engineDied = "engine_died"
    case engineMisbehaved = "engine_misbehaved"
    case internalError = "internal_error"

    package var entry: Entry { Self.table[self] ?? Self.missing }

    private static let missing = Entry(
      blame: .router, sentence: "Something failed that has no name yet", remedy: "Report it with the log.",
      action: "trying again")

    /// The one table. A test checks that every code has its line.
    package static let table: [Code: Entry] = Dictionary(
      uniqueKeysWithValues: configuration + network + handshake + authentication + server + router)

    private static func line(
      _ blame: Blame, _ code: Code, _ sentence: String, _ remedy: String, _ action: String
    ) -> (Code, Entry) {
      (code, Entry(blame: blame, sentence: sentence, remedy: remedy, action: action))
    }

    private static let owner = "waiting for the configuration to be mended"
    private static let again = "trying again with growing pauses"
    private static let next = "trying the next server or address"

    private static let configuration: [(Code, Entry)] = [
      line(
        .configuration, .configurationInvalid, "The configuration has errors",
        "Run `adit check` and mend what it names.",
        owner),
      line(
        .configuration, .credentialsMissing, "The server wants a user name and a password, and none are set",
        "Set `option auth_user_pass` to a file with two lines: user name and password.", owner),
      line(
        .configuration, .keyPasswordMissing, "The private key is encrypted and no password is set",
        "Set `option askpass` to a file with the password, or store the key unencrypted.", owner),
      line(
        .configuration, .keyPasswordWrong, "The password of the private key is wrong",
        "Correct the file that `askpass` names.", owner),
      line(
        .configuration, .certificateUnreadable, "A certificate in the profile cannot be read",
        "Copy it again from the provider, from BEGIN to END.", owner),
      line(
        .configuration, .keyUnreadable, "The private key in the profile cannot be read",
        "Copy it again, from BEGIN to END.", owner),
      line(
        .configuration, .keyMismatch, "The private key does not belong to the certificate",
        "Use the key that was made with this certificate.", owner),
      line(
        .configuration, .pkcs12Unreadable, "The PKCS#12 file cannot be read", "Check the file and its password.", owner),
      line(
        .configuration, .pkcs12NeedsLegacy, "The PKCS#12 file uses an old cipher that OpenSSL 3 no longer carries",
        "Convert it once: `openssl pkcs12 -legacy -in old.p12 -nodes -out new.pem`, then use `cert` and `key`.", owner),
      line(
        .configuration, .crlUnreadable, "The revocation list (crl-verify) cannot be read",
        "Replace it with a current list from your server, or remove the option.", owner),
      line(
        .configuration, .crlUnusable, "The revocation list (crl-verify) is out of date or not signed by the CA",
        "Replace it with a current list from your server.", again),
      line(
        .configuration, .tlsOptionsInvalid, "A TLS option leaves nothing usable",
        "Check tls-cipher, tls-ciphersuites, tls-groups and tls-version-min/max.", owner),
      line(
        .configuration, .wrapKeyInvalid, "The tls-auth or tls-crypt key cannot be read",
        "Copy the key again, from BEGIN to END.", owner),
    ]

    private static let wait = "waiting for the line, and trying on"

    private static let network: [(Code, Entry)] = [
      line(
        .network, .uplinkOff, "The uplink {to the internet} is switched off",
        "Bring it up as your system does, `ip link set DEVICE up` at the least.", wait),
      line(
        .network, .carrierLost, "The cable of {the uplink} is out",
        "Put it in; if it is in, look at the modem or the switch at its other end.", "waiting for the cable"),
      line(
        .network, .wifiLost, "The Wi-Fi of {the uplink} has no connection",
        "Look at the access point, and at the name and password of its net.", "waiting for the Wi-Fi"),
      line(
        .network, .noAddress, "The router has no address from the provider on {the uplink}",
        "Look at the modem; start it anew, and then the router's DHCP or PPPoE.", "waiting for an address"),
      line(
        .network, .noPath, "There is no route to the server", "Check the cable, the Wi-Fi or the modem.",
        "waiting for a way to the internet"),
      line(
        .network, .gatewaySilent, "The provider's router {at the next hop} does not answer",
        "Start the modem anew; if that does not help, ask the provider.", wait),
      line(
        .network, .outsideSilent, "The internet outside does not answer, so the server cannot be blamed",
        "Usually the provider; start the modem anew, and ask the provider if it lasts.", wait),
      line(
        .network, .resolverSilent, "No resolver gives an answer for the server's name",
        "Check the router's own DNS, or set `list bootstrap_dns`.", again),
      line(
        .network, .nameUnresolved, "The server's name has no address",
        "Check the name; if all names fail, check the router's own DNS or set `bootstrap_dns`.", again),
      line(.router, .socketFailed, "A socket could not be used", "See the log for the reason the kernel gave.", again),
      line(
        .network, .serverSilent, "The server does not answer",
        "Check address, port and protocol; a firewall on the way may drop them.", next),
      line(
        .network, .serverSilentOrWrongKey,
        "The server does not answer; a wrong tls-auth or tls-crypt key looks the same",
        "Check address, port and protocol, and that the key and its direction are this server's.", next),
      line(.network, .tcpRefused, "The server refuses the TCP connection", "Check address and port.", next),
      line(.network, .tcpTimeout, "The TCP connection was not answered in time", "Check address and port.", next),
      line(.network, .tcpClosed, "The server closed the connection", "The server's log knows why.", again),
      line(
        .network, .tcpFramingBroken, "What came over TCP is not OpenVPN",
        "Check the port: something else listens there.",
        next),
      line(
        .network, .keepaliveTimeout, "Nothing came from the server for the whole ping-restart time",
        "Usually the line; it mends itself when the line does.", "reconnecting"),
      line(.server, .inactive, "The tunnel was idle for the time `inactive` names", "Nothing to do.", "reconnecting"),
      line(.server, .sessionTimeout, "The time `session-timeout` names is over", "Nothing to do.", "reconnecting"),
    ]

    private static let handshake: [(Code, Entry)] = [
      line(
        .handshake, .handshakeTimeout, "The server answered but the handshake was not finished in time",
        "A lossy line or a server with another configuration; its log knows.", next),
      line(
        .handshake, .wrapRejected, "The server's packets do not fit our tls-auth or tls-crypt key",
        "Use the key and key-direction of this server.", next),
      line(
        .handshake, .controlChannelBroken, "The server broke the rules of the control channel",
        "Check that the port speaks OpenVPN.", again),
      line(.handshake, .tlsFailed, "The TLS handshake failed", "The server's log knows more.", again),
      line(
        .handshake, .tlsProtocolVersion, "Server and profile share no TLS version",
        "Relax `tls-version-min` if the server is old, or renew the server.", again),
      line(
        .handshake, .tlsNoSharedCipher, "Server and profile share no TLS cipher",
        "Check tls-cipher, tls-ciphersuites and tls-groups.", again),
      line(.handshake, .tlsAlert, "The server ended the TLS handshake", "The server's log knows why.", again),
      line(
        .handshake, .tlsCertificateUntrusted, "The server's certificate is not signed by the CA of the profile",
        "Use the CA of this server. If it was right yesterday, somebody may be in between.", again),
      line(
        .handshake, .tlsCertificateExpired, "The server's certificate has expired",
        "The server's owner must renew it; check the router's clock too.", again),
      line(
        .handshake, .tlsCertificateNotYetValid, "The server's certificate is not yet valid",
        "Set the router's clock.", "waiting for the clock"),
      line(
        .handshake, .tlsCertificateRevoked, "The server's certificate was revoked",
        "Ask the server's owner for a new one.", again),
      line(
        .handshake, .tlsCertificateWrongUsage, "The server's certificate is not made for a server",
        "`remote-cert-tls server` wants the server usage; the server's owner must issue one.", again),
      line(
        .handshake, .tlsCertificateWrongName,
        "The server's certificate carries another name than verify-x509-name asks",
        "Check the name in the profile. If it was right yesterday, somebody may be in between.", again),
      line(
        .handshake, .tlsCertificateWrongFingerprint, "The server's certificate has another fingerprint",
        "Check peer-fingerprint. If it was right yesterday, somebody may be in between.", again),
      line(
        .handshake, .tlsCertificateTooWeak, "A certificate is too weak for today's OpenSSL (digest or key size)",
        "Renew it, or set `tls-cert-profile insecure`, knowing what that means.", again),
      line(
        .handshake, .keyExchangeFailed, "The key exchange message of the server cannot be read",
        "Check that the server is an OpenVPN 2.3 or newer.", again),
      line(.handshake, .keyMaterialInvalid, "The negotiated keys are unusable", "Report it with the log.", again),
      line(
        .handshake, .pushTimeout, "The server accepted us but never sent its settings",
        "The server may be overloaded or hold our old session; its log knows.", again),
      line(
        .handshake, .pushInvalid, "The server's settings cannot be used", "The server's owner must mend them.", again),
      line(
        .handshake, .pushRejected, "The server sent an option that pull-filter rejects", "Check `pull-filter reject`.",
        again),
      line(
        .configuration, .cipherRefused, "The server chose a cipher that the profile does not allow",
        "Add it to data-ciphers.", again),
      line(
        .configuration, .cipherUnsupported, "The server wants a cipher that Adit does not have",
        "Let the server offer AES-GCM, CHACHA20-POLY1305 or AES-CBC.", again),
      line(
        .configuration, .compressionRefused, "The server insists on compression, which is unsafe",
        "Remove compression on the server, or set `allow-compression asym`.", again),
      line(
        .handshake, .renegotiationFailed, "New keys could not be agreed on", "Usually the line; it mends itself.",
        "reconnecting"),
      line(
        .handshake, .keysExpired, "The keys are used up and no new ones were agreed on", "Nothing to do.",
        "reconnecting"),
      line(
        .handshake, .decryptFailed, "Packets of the server cannot be decrypted",
        "Check `auth` and `cipher` against the server.", "reconnecting"),
      line(
        .network, .dataSilent, "The tunnel stands, but nothing comes back through it",
        "Usually the line; if it lasts, the server's routes or firewall.",
        "asking for a sign of life, then reconnecting"),
      line(
        .server, .innerResolverSilent, "The resolver {inside the tunnel} does not answer",
        "Name another with `dhcp-option DNS`, or ask the server's owner.", "leaving the tunnel up"),
    ]

    private static let slowly = "trying again after 1, 5, 15 minutes, then every hour"

    private static let authentication: [(Code, Entry)] = [
      line(
        .authentication, .authFailed, "The server refuses user name or password",
        "Correct the file that auth_user_pass names; Adit tries again at once after `adit reconnect`.", slowly),
      line(
        .server, .authTemporary, "The server cannot check the login just now", "Nothing to do.",
        "trying again when the server said"),
      line(
        .server, .authTokenExpired, "The server no longer accepts our session token", "Nothing to do.",
        "logging in again with the password"),
      line(
        .authentication, .authChallenge, "The server asks a question at login, and nobody is here to answer",
        "Use an account without an interactive second factor.", slowly),
      line(
        .authentication, .authPendingTimeout, "The login outside the tunnel was not completed in time",
        "Open the address that the log names, or use another account.", slowly),
      line(
        .authentication, .codeSpent, "The one-time password was used already",
        "Write a fresh one into the third line of the file that auth_user_pass names; Adit sees it within seconds.",
        "waiting for a fresh one-time password"),
    ]

    private static let server: [(Code, Entry)] = [
      line(.server, .serverRestart, "The server restarts", "Nothing to do.", "reconnecting"),
      line(
        .server, .serverHalt, "The server told us to stay away", "Ask the server's owner.",
        "trying again after a long pause"),
      line(.server, .serverExit, "The server said goodbye", "Nothing to do.", "reconnecting"),
    ]

    private static let router: [(Code, Entry)] = [
      line(
        .router, .tunUnavailable, "The tun device cannot be opened", "Load the kernel module: `modprobe tun`.", again),
      line(
        .router, .deviceTaken, "The device name belongs to something else", "Choose another `option device`.", owner),
      line(
        .router, .networkPlanFailed, "Addresses or routes could not be set",
        "See the log for the step and the kernel's reason.", again),
      line(
        .router, .subnetConflict, "The server's network overlaps with this house's own",
        "Change the LAN's addresses, or the server's.", again),
      line(
        .server, .noTunnelAddress, "The server gave no address for the tunnel", "The server's owner must mend it.",
        again),
      line(
        .router, .firewallFailed, "The firewall rules could not be loaded",
        "Check that `nft` works: `nft list ruleset`.",
        "keeping the LAN closed"),
      line(.router, .engineDied, "The engine process died", "Report it with the log.", "starting a fresh one"),
      line(
        .router, .engineMisbehaved, "The engine process said something it must not", "Report it with the log.",
        "starting a fresh one"),
      line(.router, .internalError, "Adit met a state it should not be in", "Report it with the log.", "reconnecting"),
    ]
  }
}
