import Base
import Profile
import Settings
import Supervisor
import Testing

@Suite("What the owner asks for at run time")
struct OverridesTests {
  private let now = Instant(nanoseconds: 1_000_000_000_000)
  private let location = SourceLocation(file: "home.ovpn", line: 1)

  private func name(_ text: String) throws -> TunnelName { try #require(TunnelName(text)) }

  @Test("It outlives the daemon as text, and no other run of the machine takes it for its own")
  func text() throws {
    var overrides = Overrides()
    overrides[try name("a")].wish = .up
    overrides[try name("b")].wish = .down
    overrides[try name("c")].wish = .paused(until: now + .seconds(60))
    overrides[try name("d")].wish = .paused(until: nil)
    overrides[try name("d")].remote = RemoteName(host: "vpn.example.net", port: 443, transport: .tcp)
    let text = overrides.text(boot: "1234-abcd")
    #expect(
      text == """
        adit overrides 1 1234-abcd
        a up
        b down
        c paused 1060000000000
        d paused -
        d use 443 tcp vpn.example.net

        """)
    #expect(Overrides(text, boot: "1234-abcd") == overrides)
    #expect(Overrides(text, boot: "another") == Overrides())
  }

  @Test(
    "A line that is not ours is left out",
    arguments: [
      "a", "a sideways", "a paused", "a paused soon", "a/b up", "a use 99999 udp vpn", "a use 1 icmp vpn", "",
    ])
  func nonsense(_ line: String) {
    #expect(Overrides("adit overrides 1 boot\n\(line)\n", boot: "boot") == Overrides())
  }

  @Test("A pause ends by itself, and leaves the chosen remote as it is")
  func pauses() throws {
    var overrides = Overrides()
    let (home, work) = (try name("home"), try name("work"))
    overrides[home].wish = .paused(until: now + .seconds(60))
    overrides[home].remote = RemoteName(host: "vpn", port: 1194, transport: .udp)
    overrides[work].wish = .paused(until: nil)
    #expect(overrides.nextEnd == now + .seconds(60))
    #expect(overrides.endPauses(at: now + .seconds(59)) == [])
    #expect(overrides.endPauses(at: now + .seconds(60)) == [home])
    #expect(overrides[home].wish == nil)
    #expect(overrides[home].remote != nil)
    #expect(overrides[work].wish == .paused(until: nil))
    #expect(overrides.nextEnd == nil)
  }

  @Test(
    "A remote is named by number, host, host and port, or all of it",
    arguments: [
      ("1", 0), ("2", 1), ("4", 3), ("5", nil), ("0", nil), ("-1", nil),
      ("vpn.example.net", 0), ("VPN.example.net", 0), ("vpn.example.net:443", 1), ("vpn.example.net:443/tcp", 1),
      ("vpn.example.net:443/udp", nil), ("vpn.example.net:1", nil), ("example.net", nil), ("203.0.113.10", 2),
      ("203.0.113.10:1194", 2), ("[2001:db8::10]:1194", 3), ("2001:db8:0::10", 3), ("[2001:db8::10]", 3), ("", nil),
    ] as [(String, Int?)])
  func remotes(_ words: String, _ position: Int?) {
    let remotes = [
      Remote(host: "vpn.example.net", location: location),
      Remote(host: "vpn.example.net", port: 443, transport: .tcp, location: location),
      Remote(host: "203.0.113.10", location: location), Remote(host: "2001:db8::10", location: location),
    ]
    #expect(RemoteName.position(of: words, in: remotes) == position)
    if let position { #expect(RemoteName(remotes[position]).position(in: remotes) == position) }
  }
}
