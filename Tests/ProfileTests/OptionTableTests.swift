import Base
import Profile
import Testing

@Suite("The option table is the one truth")
struct OptionTableTests {
  @Test("Every name stands in it once")
  func unique() {
    let names = OptionTable.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.count > 250)
  }

  @Test("Every honoured row is read by the parser", arguments: OptionTable.all)
  func applied(entry: OptionEntry) throws {
    switch entry.treatment {
    case .harmless, .harmlessWithWarning, .refused: return
    case .honoured, .honouredDifferently: break
    }
    var draft = ProfileDraft(ignoringUnknown: false, files: .mustBeRead)
    let sample = Array(repeating: "1", count: max(entry.arity.lowerBound, 1)) + ["1", "1", "1"]
    let line = OptionLine(name: entry.name, arguments: sample, location: SourceLocation(file: "t"))
    // A complaint about the sample arguments is fine: then somebody read them.
    let isKnown = (try? draft.apply(line)) ?? true
    #expect(isKnown, "nobody reads `\(entry.name)`")
  }

  @Test("Every class but `honoured` explains itself")
  func explained() {
    for entry in OptionTable.all where entry.className != "honoured" {
      #expect(entry.explanation?.isEmpty == false, "\(entry.name)")
    }
  }

  @Test(
    "A typing error gets the nearest name; L-16: so does a damaged one",
    arguments: [
      ("remot", "did you mean `remote`?"),
      ("auth_user_pass", "did you mean `auth-user-pass`?"),
      ("data-data-ciphers-fallbacks-fallback", "did you mean `data-ciphers-fallback`?"),
      ("tls-cipher=DEFAULT:@SECLEVEL=0", "a blank, not `=`"),
      ("CLIENT", "lower case: `client`"),
    ])
  func hints(name: String, expected: String) {
    #expect(OptionTable.hint(for: name).contains(expected))
  }

  @Test("What may be pushed is the list of protocol.md 13.8")
  func pushable() {
    let expected: Set<String> = [
      "lladdr", "topology", "ifconfig", "ifconfig-ipv6", "ifconfig-noexec", "ifconfig-nowarn", "show-net-up", "route",
      "route-ipv6", "route-metric", "redirect-gateway", "redirect-private", "block-ipv6", "dns", "dhcp-option",
      "ip-win32", "tap-sleep", "dhcp-renew", "dhcp-release", "dhcp-pre-release", "register-dns", "block-outside-dns",
      "route-gateway", "route-delay", "route-method", "rcvbuf", "sndbuf", "socket-flags", "bind-dev", "setenv-safe",
      "shaper", "inactive", "session-timeout", "ping", "ping-exit", "ping-restart", "ping-timer-rem", "comp-lzo",
      "compress", "persist-tun", "persist-key", "verb", "mute", "errors-to-stderr", "explicit-exit-notify", "echo",
      "parameter", "auth-token", "auth-token-user", "push-continuation", "peer-id", "cipher", "key-derivation",
      "protocol-flags", "tun-mtu", "route-ipv6-gateway", "disable-dco", "tun-ipv6", "max-routes", "comp-noadapt",
      "prng",
      "auth", "keepalive", "auth-nocache",
    ]
    #expect(Set(OptionTable.all.filter(\.isPushable).map(\.name)) == expected)
  }

  @Test("What may stand in a connection block is the list of protocol.md 13.3")
  func connection() {
    let expected: Set<String> = [
      "bind", "nobind", "lport", "rport", "port", "local", "proto", "remote", "float", "connect-retry",
      "connect-retry-max",
      "connect-timeout", "server-poll-timeout", "explicit-exit-notify", "fragment", "mssfix", "link-mtu", "tun-mtu",
      "tun-mtu-max", "tun-mtu-extra", "max-packet-size", "mtu-disc", "http-proxy", "http-proxy-option", "socks-proxy",
      "key-direction", "tls-auth", "tls-crypt", "tls-crypt-v2",
    ]
    #expect(Set(OptionTable.all.filter(\.isAllowedInConnection).map(\.name)) == expected)
  }
}
