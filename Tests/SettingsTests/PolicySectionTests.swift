import Base
import Profile
import Settings
import Testing

@Suite("Policy sections")
struct PolicySectionTests {
  private func parse(_ text: String) -> ParsedSettings {
    SettingsParser.parse(files: [SettingsFile(name: "policies", text: Array(text.utf8))])
  }

  private func errors(_ parsed: ParsedSettings) -> [String] {
    parsed.diagnostics.filter { $0.severity == .error && !$0.text.contains("no tunnel is usable") }.map(\.description)
  }

  @Test("a whole policy, and where its keys stand")
  func whole() throws {
    let parsed = parse(
      """
      config policy 'tv'
      	list src '192.168.1.50'
      	list src '!02:00:00:00:00:07'
      	list dest 'example.com'
      	list proto 'tcp'
      	option dest_port '443 8000-8080'
      	option via 'wan'
      """)
    #expect(errors(parsed).isEmpty)
    let policy = try #require(parsed.settings.policies.first)
    #expect(policy.reading == .whole && policy.via == .wan && policy.onDown == .block)
    #expect(policy.sources.map(\.isNegated) == [false, true] && policy.protocols == [.tcp])
    #expect(policy.destinationPorts == [.init(443), .init(first: 8000, last: 8080)])
    #expect(policy.keys["via"]?.description == "policies:7:9" && policy.keys["on_down"] == nil)
  }

  @Test("a tunnel that is not there is told with the nearest, and what the policy matches is blocked")
  func unknownTunnel() throws {
    let parsed = parse(
      "config tunnel 'home'\n\toption remote 'vpn.example.net'\nconfig policy 'tv'\n\tlist src '@br-tv'\n\toption via 'hmoe'\n"
    )
    #expect(
      errors(parsed) == [
        "policies:5:13: error: there is no tunnel 'hmoe'; did you mean 'home'?; what the policy matches is blocked"
      ])
    let policy = try #require(parsed.settings.policies.first)
    #expect(policy.via == .block && policy.reading == .whole)
  }

  @Test(
    "G-03: how much of a broken policy still counts",
    arguments: [
      ("list src '192.168.1.500'", PolicySettings.Reading.nothing),
      ("list src '192.168.1.5'\n\tlist src '192.168.1.500'", .part),
      ("list src '192.168.1.5'\n\tlist scr '192.168.1.6'", .nothing),
      ("list src 'tv.lan.example'", .nothing), ("list dest '02:00:00:00:00:07'", .nothing),
      ("list dest '@br-lan'", .nothing), ("list dest_port '443'", .nothing),
      ("list proto 'icmp'\n\tlist dest_port '443'", .nothing), ("list proto 'tpc'", .nothing),
      ("list proto 'tcp'\n\tlist dest_port '70000'\n\tlist dest_port '443'", .part), ("option on_down 'never'", .whole),
    ])
  func broken(lines: String, reading: PolicySettings.Reading) throws {
    let parsed = parse("config policy 'tv'\n\t\(lines)\n\toption via 'wan'\n")
    #expect(errors(parsed).count == 1)
    #expect(parsed.settings.policies.map(\.reading) == [reading])
  }

  @Test("a policy without a way, or with a word that is none, blocks")
  func way() {
    for text in [
      "config policy 'tv'\n", "config policy 'tv'\n\toption via 'wan wan0'\n", "config policy 'tv'\n\toption via '-'\n",
    ] {
      let parsed = parse(text)
      #expect(!errors(parsed).isEmpty && parsed.settings.policies.map(\.via).allSatisfy { $0 != .wan })
    }
  }

  @Test("a misspelled section type counts as a policy that could not be read")
  func misspelled() {
    let parsed = parse("config polcy 'tv'\n\tlist src '@br-tv'\n\toption via 'wan'\n")
    #expect(errors(parsed) == ["policies:1:1: error: there is no section type `polcy`; did you mean `policy`?"])
    #expect(parsed.settings.policies.map(\.reading) == [.nothing])
  }

  @Test("a second policy of a name in another file is an error, and matches nothing")
  func second() {
    let text = Array("config policy 'tv'\n\toption via 'wan'\n".utf8)
    let parsed = SettingsParser.parse(files: [SettingsFile(name: "a", text: text), SettingsFile(name: "b", text: text)])
    #expect(errors(parsed) == ["b:1:15: error: a second policy 'tv'; the first is a:1:1"])
    #expect(parsed.settings.policies.map(\.reading) == [.whole, .nothing])
  }

  @Test("a gateway cannot have the name of a part of the firewall table, and is closed all the same")
  func reserved() {
    let parsed = parse("config gateway 'router'\n\tlist tunnel 'home'\n\tlist lan 'br-lan'\n")
    #expect(errors(parsed).first == "policies:1:16: error: 'router' is a name of Adit's own, take another")
    #expect(parsed.settings.gateways.map(\.name.text) == ["gateway1"] && parsed.brokenGateways.count == 1)
  }
}

@Suite("Lists of policy entries")
struct PolicyListTests {
  private func list(_ text: String, for end: PolicySettings.End = .destination) -> PolicyList {
    PolicyList(text: Array(text.utf8), file: "streams", for: end)
  }

  @Test("one entry a line, comments, blank lines, line ends of another system")
  func entries() {
    let read = list("# streams\n203.0.113.0/24\r\n  example.com   # and below\n\n2001:db8::1\n")
    #expect(read.isWhole)
    #expect(
      read.matches
        == [
          IPPrefix("203.0.113.0/24").map { .prefix($0) }, DomainName("example.com").map { .domain($0) },
          IPPrefix("2001:db8::1").map { .prefix($0) },
        ].compactMap(\.self))
  }

  @Test("mistakes stand at their line and column, quote nothing, and leave the good entries")
  func mistakes() {
    let read = list("192.0.2.1 192.0.2.2\n TopSecret\n!192.0.2.3\nfile:other\n@br-lan\n192.0.2.4\n")
    #expect(
      read.diagnostics.map(\.description) == [
        "streams:1:11: error: one entry a line", "streams:2:2: error: not an address, a prefix, or a domain",
        "streams:3:1: error: an entry cannot be negated; `!file:` negates the whole list",
        "streams:4:1: error: a list cannot name another list",
        "streams:5:1: error: this list takes no device: the way decides by which one a packet leaves",
      ])
    #expect(read.matches.count == 1 && !read.isWhole)
  }

  @Test("who sends may be a MAC address or a device, and no domain")
  func sources() {
    let read = list("02:00:00:00:00:07\n@br-lan\n192.168.1.0/24\nexample.com\n", for: .source)
    #expect(read.matches.count == 3)
    #expect(
      read.diagnostics.map(\.description) == [
        "streams:4:1: error: this list takes no domain: names are looked up for destinations only"
      ])
  }

  @Test("a file of mistakes is told in twenty lines, one of too many entries is cut")
  func bounds() {
    let nonsense = list(String(repeating: "-\n", count: 1_000))
    #expect(nonsense.diagnostics.count == 21)
    #expect(nonsense.diagnostics.last?.text == "980 more entries cannot be read")
    let long = list(String(repeating: "192.0.2.1\n", count: PolicyList.entryLimit + 5))
    #expect(long.matches.count == PolicyList.entryLimit && long.diagnostics.count == 1 && !long.isWhole)
  }
}
