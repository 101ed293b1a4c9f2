extension OptionTable {
  static let serverProfile = "this is a server's profile, and Adit is a client"
  private static let serverWord = "a server's word; it belongs into the server's configuration"

  static let server: [OptionEntry] = [OptionEntry](
    [
      .refused("server", serverProfile),
      .refused("server-ipv6", serverProfile),
      .refused("server-bridge", serverProfile),
      .refused("tls-server", serverProfile),
    ]
      + [
        "push", "push-reset", "push-remove", "duplicate-cn", "client-to-client", "client-config-dir", "ccd-exclusive",
        "client-connect", "auth-user-pass-optional", "client-disconnect", "client-crresponse", "learn-address",
        "auth-user-pass-verify",
        "verify-client-cert", "client-cert-not-required", "username-as-common-name", "ifconfig-pool",
        "ifconfig-pool-linear", "ifconfig-pool-persist", "ifconfig-ipv6-pool", "ifconfig-push",
        "ifconfig-ipv6-push", "ifconfig-push-constraint", "iroute", "iroute-ipv6", "max-clients",
        "max-routes-per-client", "connect-freq", "connect-freq-initial", "hash-size", "bcast-buffers",
        "stale-routes-check", "opt-verify", "port-share", "tls-crypt-v2-verify", "tls-crypt-v2-max-age",
        "auth-gen-token", "force-cookie", "vlan-tagging", "vlan-accept", "vlan-pvid", "disable",
        "override-username",
      ].map { .warned($0, "[argument] …", serverWord, .list) }
      + [
        .warned("dh", "[argument] …", serverWord, .inline),
        .warned("auth-gen-token-secret", "[argument] …", serverWord, .inline),
      ]
  ).under(.server)

  static let removed: [OptionEntry] = [OptionEntry]([
    .harmless("keysize", "bits", "the cipher's name says its key size"),
    .harmless("key-method", "method", "there is only method 2"),
    .harmless("no-iv", "", "went out of OpenVPN"),
    .refused("no-replay", "replayed packets would be taken; the server must not use it either"),
    .refused("compat-names", "went out of OpenVPN; write the name as `verify-x509-name` prints it"),
    .refused("no-name-remapping", "went out of OpenVPN; write the name as `verify-x509-name` prints it"),
    .refused("scramble", "belongs to a patched OpenVPN and hides packets in a way of its own"),
    .refused("allow-deprecated-insecure-static-crypto", "static keys without TLS have no forward secrecy"),
  ]).under(.removed)
}
