import Base
import Profile
import Settings
import Testing

func parse(_ text: String, package: SettingsFile.Package? = nil) -> ParsedSettings {
  SettingsParser.parse(files: [SettingsFile(name: "gateway", text: Array(text.utf8), package: package)])
}

extension ParsedSettings {
  var errors: [String] { diagnostics.filter { $0.severity == .error }.map(\.description) }
  var notes: [String] { diagnostics.filter { $0.severity == .note }.map(\.text) }
}

@Suite("Settings") struct SettingsParserTests {
  static let short = """
    config tunnel 'home'
    	option profile 'home.ovpn'

    config gateway 'lan'
    	list tunnel 'home'
    	list lan 'br-lan'
    	option kill_switch 'session'
    """

  @Test("the short form is enough")
  func short() throws {
    let parsed = parse(Self.short)
    #expect(parsed.diagnostics.isEmpty)
    let tunnel = try #require(parsed.settings.tunnels.first)
    #expect(tunnel.name.text == "home" && tunnel.device.text == "tun-home" && tunnel.isEnabled)
    #expect(tunnel.profilePath == "home.ovpn")
    let gateway = try #require(parsed.settings.gateways.first)
    #expect(gateway.tunnels.map(\.text) == ["home"] && gateway.lan.map(\.text) == ["br-lan"])
    #expect(gateway.killSwitch == .session && gateway.masquerade && gateway.clampsMSS)
    #expect(parsed.brokenTunnels.isEmpty && parsed.brokenGateways.isEmpty)
  }

  @Test("every key of every section is read")
  func everything() throws {
    let parsed = parse(
      """
      config globals 'globals'
        option log_level 'debug'
        option metrics '[::1]:9176'
        option fwmark_mask '0x00ff0000'
        option rule_priority '700'
        list take_over 'openvpn'
        option control_group 'adit'
        list bootstrap_dns '9.9.9.9'
      config tunnel 'home'
        option enabled 'no'
        option profile 'CA Toronto.ovpn'
        option device 'tun7'
        option mtu '1420'
        option unknown_options 'ignore'
        option clock_policy 'strict'
        option return_after '5s'
      config gateway 'lan'
        list tunnel 'home'
        option lan 'br-lan br-guest'
        option scope 'all'
        option kill_switch 'off'
        option masquerade '0'
        option mss_clamp 'off'
        option ipv6 'block'
        option dns 'hijack'
        option block_dot 'true'
        option inbound 'block'
        option routes 'pushed'
        list exclude '192.168.3.4/16'
      config policy 'tv'
        list src '192.168.1.50'
        list src '!aa:bb:cc:dd:ee:ff'
        list src '@br-guest'
        list dest 'example.org'
        list dest 'file:nets'
        list proto 'tcp'
        list dest_port '8000-8080'
        option via 'home'
        option on_down 'next'
      config health 'home'
        option probe '10.8.0.1'
        option interval '5m'
        option fail_after '4'
      config ondemand
        option action 'disconnect'
        list uplink 'wan*'
        list subnet '192.168.0.0/16'
        list kind 'wifi wired'
        list reachable '10.0.0.1'
        list reachable '[2001:db8::1]:443'
      """)
    #expect(parsed.errors.isEmpty)
    let settings = parsed.settings
    #expect(settings.globals.logLevel == .debug && settings.globals.marks.own == 0x00ad_0000)
    #expect(settings.globals.metrics?.description == "[::1]:9176" && settings.globals.rulePriority == 700)
    #expect(settings.globals.takeOver == ["openvpn"] && settings.globals.bootstrapDNS.map(\.description) == ["9.9.9.9"])
    let tunnel = try #require(settings.tunnels.first)
    #expect(!tunnel.isEnabled && tunnel.profilePath == "CA Toronto.ovpn" && tunnel.device.text == "tun7")
    #expect(tunnel.mtu == 1420 && tunnel.ignoresUnknownOptions && tunnel.clockPolicy == .strict)
    #expect(tunnel.returnAfter == .seconds(5))
    let gateway = try #require(settings.gateways.first)
    #expect(gateway.lan.map(\.text) == ["br-lan", "br-guest"] && gateway.scope == .all && gateway.killSwitch == .off)
    #expect(!gateway.masquerade && !gateway.clampsMSS && gateway.ipv6 == .block && gateway.dns == .hijack)
    #expect(gateway.blocksDoT && gateway.inbound == .block && gateway.routes == .pushed)
    #expect(gateway.excluded.map(\.description) == ["192.168.0.0/16"])
    let policy = try #require(settings.policies.first)
    #expect(policy.sources.map(\.isNegated) == [false, true, false] && policy.destinations.count == 2)
    #expect(policy.via == .tunnel(tunnel.name) && policy.onDown == .next)
    #expect(settings.health.first?.interval == .seconds(300) && settings.health.first?.failAfter == 4)
    let rule = try #require(settings.onDemand.first)
    #expect(rule.action == .disconnect && rule.uplinks == ["wan*"] && rule.kinds == [.wifi, .wired])
    #expect(rule.reachable.map(\.description) == ["10.0.0.1", "[2001:db8::1]:443"] && !rule.isBroken)
    #expect(!rule.isUnconditional && rule.subnets.map(\.description) == ["192.168.0.0/16"])
    #expect(!parsed.notes.contains { $0.hasSuffix("are checked but not yet acted on") })
  }

  @Test(
    "A rule on demand with an error is marked, so that it takes no tunnel away",
    arguments: [
      "option action 'stop'", "list kind 'copper'", "list reachable 'vpn.example.net'", "list reachable '10.0.0.1:0'",
      "list reachable '2001:db8::1:99999'", "list subnet 'lan'", "list ssid 'home'", "list uplink 'a/b'",
    ])
  func brokenRules(_ line: String) throws {
    let parsed = parse("config ondemand\n  option action 'disconnect'\n  \(line)\n")
    let rule = try #require(parsed.settings.onDemand.first)
    #expect(rule.isBroken && !parsed.errors.isEmpty)
  }

  @Test("U-04: every UCI word for yes and no is one")
  func truth() {
    for (words, value) in [(Truth.yes, true), (Truth.no, false)] {
      for word in words + words.map({ $0.uppercased() }) {
        let parsed = parse("config tunnel a\noption profile p\noption enabled '\(word)'\n")
        #expect(parsed.settings.tunnels.first?.isEnabled == value)
      }
    }
    #expect(
      parse("config tunnel a\noption profile p\noption enabled 'ture'\n").errors == [
        "gateway:3:16: error: `enabled` must be 1 or 0 (on, yes, true, enabled; off, no, false, disabled)"
      ])
  }

  @Test(
    "G-03: a wrong kill_switch is an error and the protection is on", arguments: ["On", "ture", "0", "no", "of", "'"])
  func killSwitch(value: String) throws {
    let parsed = parse(
      "config tunnel a\noption profile p\nconfig gateway lan\nlist tunnel a\nlist lan br-lan\noption kill_switch \"\(value)\"\n"
    )
    #expect(parsed.errors.count == 1)
    #expect(parsed.errors[0].hasPrefix("gateway:6:20: error: `kill_switch` must be one of always, session, off"))
    #expect(parsed.settings.gateways.first?.killSwitch == .always)
  }

  @Test("kill_switch 'session' is taken; without a word it is 'always'")
  func always() {
    let text = "config tunnel a\noption profile p\nconfig gateway lan\nlist tunnel a\nlist lan br-lan\n"
    let parsed = parse(text + "option kill_switch 'session'\n")
    #expect(parsed.errors.isEmpty && parsed.notes.isEmpty)
    #expect(parsed.settings.gateways.first?.killSwitch == .session && parsed.brokenGateways.isEmpty)
    let broken = parse(text + "option kill_switch 'session'\noption scope 'al'\n")
    #expect(broken.errors.count == 1 && broken.settings.gateways.first?.killSwitch == .session)
    let unset = parse(text)
    #expect(unset.errors.isEmpty && unset.settings.gateways.first?.killSwitch == .always && unset.notes.count == 1)
  }

  @Test("a typo names the nearest key, section type, value or tunnel")
  func nearest() {
    let parsed = parse(
      """
      config tunnel 'home'
        option profile 'p'
        option enabld '1'
        option clock_policy 'flor'
      config gateway 'lan'
        list tunnel 'hme'
        list lan 'br-lan'
        option kill_switch 'session'
      config tunel 'x'
        option profile 'p'
      """)
    #expect(
      parsed.errors == [
        "gateway:3:10: error: tunnel has no key `enabld`; did you mean `enabled`?",
        "gateway:4:23: error: `clock_policy` must be one of floor, strict; did you mean `floor`?",
        "gateway:6:15: error: there is no tunnel 'hme'; did you mean 'home'?",
        "gateway:9:1: error: there is no section type `tunel`; did you mean `tunnel`?",
      ])
    #expect(parsed.brokenTunnels.map(\.text).sorted() == ["home", "x"])
    #expect(parsed.brokenGateways.map(\.text) == ["lan"])
  }

  @Test("a bad section never stops the good ones and never opens a LAN")
  func broken() {
    let parsed = parse(
      """
      config gatway 'guest'
        list tunnel 'home'
        list lan 'br-guest'
      config gateway 'lan'
        list tunnel 'home'
        list lan 'br-lan'
        option ipv6 'blok'
        option kill_switch session extra
      \(Self.short.replacingLAN())
      """)
    #expect(parsed.settings.gateways.map(\.lan.first?.text) == ["br-guest", "br-lan", "br-iot"])
    #expect(parsed.brokenGateways.map(\.text).sorted() == ["guest", "lan"])
    #expect(parsed.settings.gateways.allSatisfy { $0.killSwitch != .off })
    #expect(parsed.brokenTunnels.isEmpty)
  }

  @Test("names and devices are unique, and each LAN has one gateway")
  func clashes() {
    let parsed = parse(
      """
      config tunnel 'a'
        option profile 'p'
        option device 'tun0'
      config tunnel 'b'
        option profile 'p'
        option device 'tun0'
      config gateway 'x'
        list tunnel 'a'
        list lan 'br-lan'
        option kill_switch 'session'
      config gateway 'y'
        list tunnel 'b'
        list lan 'br-lan'
        option kill_switch 'session'
      """)
    #expect(
      parsed.errors == [
        "gateway:6:10: error: device tun0 is also the device of tunnel 'a'",
        "gateway:11:1: error: LAN device br-lan belongs to gateway 'x' already",
      ])
    #expect(parsed.brokenTunnels.map(\.text) == ["b"] && parsed.brokenGateways.map(\.text) == ["y"])
  }

  @Test("sections without a name get counted ones, and long names fit into a device name")
  func names() {
    let parsed = parse(
      """
      config tunnel
        option profile 'p'
      config tunnel
        option profile 'q'
      config tunnel 'a_very_long_tunnel_name_one'
        option profile 'r'
      config tunnel 'a_very_long_tunnel_name_two'
        option profile 's'
      """)
    #expect(parsed.errors.isEmpty)
    #expect(parsed.settings.tunnels.map(\.name.text).prefix(2) == ["tunnel1", "tunnel2"])
    #expect(Set(parsed.settings.tunnels.map(\.device)).count == 4)
    #expect(parsed.settings.tunnels.allSatisfy { $0.device.text.utf8.count <= 15 })
  }

  @Test("a file that is no UCI says so once and marks the settings incomplete")
  func incomplete() {
    let parsed = parse("user\nsecret-word\n")
    #expect(parsed.isIncomplete && parsed.errors.count == 1)
    #expect(!parsed.errors[0].contains("secret-word"))
  }
}

extension String {
  fileprivate func replacingLAN() -> String {
    split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.contains("br-lan") ? "\tlist lan 'br-iot'" : $0.contains("gateway") ? "config gateway 'iot'" : String($0)
    }.joined(separator: "\n")
  }
}
