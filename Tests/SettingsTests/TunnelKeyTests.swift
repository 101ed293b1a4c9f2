import Base
import Profile
import Settings
import Testing

@Suite("OpenVPN options as keys") struct TunnelKeyTests {
  private func tunnel(_ lines: String) throws -> TunnelSettings {
    let parsed = parse("config tunnel 't'\nlist remote 'vpn.example.net 1194 udp'\n" + lines)
    #expect(parsed.errors.isEmpty)
    return try #require(parsed.settings.tunnels.first)
  }

  private func lines(_ text: String) throws -> [String] {
    try tunnel(text).options.dropFirst().map { ([$0.name] + $0.arguments).joined(separator: "|") }
  }

  @Test("underscores become dashes and each list value is a line with its own place")
  func options() throws {
    let tunnel = try tunnel("list remote 'b 443 tcp'\noption verify_x509_name 'vpn name'\n")
    #expect(tunnel.options.map(\.name) == ["remote", "remote", "verify-x509-name"])
    #expect(tunnel.options[1].arguments == ["b", "443", "tcp"])
    #expect(tunnel.options[1].location == SourceLocation(file: "gateway", line: 3, column: 13))
  }

  @Test("U-01: hyphen and underscore name the same option")
  func hyphen() throws {
    #expect(try lines("option auth-user-pass '/etc/vpn/cred'") == ["auth-user-pass|/etc/vpn/cred"])
    #expect(try lines("option auth_user_pass '/etc/vpn/cred'") == ["auth-user-pass|/etc/vpn/cred"])
  }

  @Test("U-03: tls_cipher as option or as list gives the same line, in order")
  func colonLists() throws {
    #expect(try lines("option tls_cipher 'A:B'") == ["tls-cipher|A:B"])
    #expect(try lines("list tls_cipher 'A'\nlist tls_cipher 'B'") == ["tls-cipher|A:B"])
    #expect(
      try lines("list data_ciphers 'AES-256-GCM'\nlist data_ciphers 'AES-128-GCM'") == [
        "data-ciphers|AES-256-GCM:AES-128-GCM"
      ])
  }

  @Test("flags take a truth word; no withdraws the profile's own")
  func flags() throws {
    #expect(try lines("option float 'yes'") == ["float"])
    let off = try tunnel("option float '0'")
    #expect(off.options.count == 1 && off.withdrawnOptions == ["float"])
  }

  @Test("L-18: a file name with blanks needs no second quotes")
  func blanks() throws {
    #expect(try lines("option ca '/etc/vpn/my keys/ca.crt'") == ["ca|/etc/vpn/my keys/ca.crt"])
  }

  @Test("an empty value is UCI's way to say that nothing is set")
  func empty() throws { #expect(try lines("option cipher ''\noption auth 'SHA256'") == ["auth|SHA256"]) }

  @Test("an unknown key is never dropped silently (U-01)")
  func unknown() {
    let text = "config tunnel 't'\noption profile 'p'\noption ciphr 'AES-256-GCM'\n"
    let parsed = parse(text)
    #expect(parsed.errors == ["gateway:3:8: error: tunnel has no key `ciphr`; did you mean `cipher`?"])
    let lenient = parse(text + "option unknown_options 'ignore'\n")
    #expect(lenient.errors.isEmpty && lenient.diagnostics.map(\.severity) == [.warning])
  }

  @Test("user name and password become what a credentials file would say, and are never printed")
  func secrets() throws {
    let tunnel = try tunnel("option username 'me'\noption password 'pa ss$1'\noption cert_password 'kp'\n")
    #expect(tunnel.options.map(\.name) == ["remote", "auth-user-pass", "askpass"])
    #expect(tunnel.options[1].body?.exposed == Array("me\npa ss$1\n".utf8))
    #expect(tunnel.holdsSecret && !"\(tunnel)".contains("pa ss"))
    let half = parse("config tunnel t\noption profile p\noption username 'me'\n")
    #expect(half.errors == ["gateway:3:17: error: `username` without `password`"])
  }

  @Test("a tunnel without profile and remote has nowhere to go")
  func nowhere() {
    #expect(parse("config tunnel 'a'\noption cipher 'AES-256-GCM'\n").brokenTunnels.map(\.text) == ["a"])
  }
}

@Suite("OpenWrt's sections") struct OpenWrtTests {
  @Test("U-06: an old section with proto is a tunnel; it starts only when enabled")
  func old() throws {
    let text = """
      config openvpn 'work'
        option client '1'
        option dev 'tun5'
        option proto 'udp'
        list remote 'vpn.example.net 1194'
        option up '/etc/up.sh'
      """
    let parsed = parse(text, package: .openvpn)
    #expect(parsed.errors.isEmpty)
    let tunnel = try #require(parsed.settings.tunnels.first)
    #expect(tunnel.name.text == "work" && tunnel.device.text == "tun5" && !tunnel.isEnabled)
    #expect(tunnel.options.map(\.name) == ["client", "proto", "remote"])
    for (line, isEnabled) in [
      ("option enabled '1'", true), ("option enable 'on'", true), ("option enabled 1\noption disabled 1", false),
      ("option enabled 1\noption auto 0", false),
    ] {
      #expect(parse(text + "\n" + line, package: .openvpn).settings.tunnels.first?.isEnabled == isEnabled)
    }
  }

  @Test("beside config the old package reads a few keys only, and so do we, with a note for each")
  func config() throws {
    let parsed = parse(
      "config openvpn 'x'\noption enabled 1\noption config '/etc/openvpn/x.conf'\noption verb '3'\noption username u\noption password p\n",
      package: .openvpn)
    let tunnel = try #require(parsed.settings.tunnels.first)
    #expect(parsed.errors.isEmpty && tunnel.profilePath == "/etc/openvpn/x.conf")
    #expect(tunnel.options.map(\.name) == ["auth-user-pass"])
    #expect(parsed.notes == ["`verb` is not read beside `config`, as in OpenWrt"])
  }

  @Test("U-06: netifd's interface spells the transport ovpnproto; other interfaces are left alone")
  func netifd() throws {
    let parsed = parse(
      """
      config interface 'lan'
        option proto 'static'
        option whatever '1'
      config interface 'vpn'
        option proto 'openvpn'
        option ovpnproto 'udp4'
        list remote 'vpn.example.net'
        option metric '5'
        option defaultroute '0'
      """, package: .network)
    #expect(parsed.errors.isEmpty && parsed.settings.tunnels.count == 1)
    let tunnel = try #require(parsed.settings.tunnels.first)
    #expect(tunnel.isEnabled && tunnel.device.text == "tun-vpn")
    #expect(
      tunnel.options.map { [$0.name] + $0.arguments } == [
        ["remote", "vpn.example.net"], ["route-metric", "5"], ["proto", "udp4"],
      ])
  }

  @Test("U-06: an interface that was moved with its old proto is read, with a note")
  func moved() throws {
    let parsed = parse(
      "config interface 'vpn'\noption proto 'udp'\nlist remote 'vpn.example.net'\n", package: .network)
    let tunnel = try #require(parsed.settings.tunnels.first)
    #expect(parsed.errors.isEmpty && parsed.notes.count == 1)
    #expect(tunnel.options.map(\.name) == ["remote", "proto"])
  }

  @Test("an openvpn section in Adit's own file needs take_over")
  func own() {
    let section = "config openvpn 'x'\nlist remote 'a'\n"
    #expect(parse(section).errors.first?.contains("take_over") == true)
    let taken = parse("config globals\nlist take_over 'openvpn'\n" + section)
    #expect(taken.errors.isEmpty && taken.settings.tunnels.count == 1)
  }

  @Test("which packages are asked for is known before they are read")
  func packages() {
    let file = SettingsFile(
      name: "g", text: Array("config globals\nlist take_over openvpn\nlist take_over network\n".utf8))
    #expect(SettingsParser.packagesToTakeOver([file]) == [.openvpn, .network])
  }
}
