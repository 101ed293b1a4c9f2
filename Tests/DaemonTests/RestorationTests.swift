import Base
import Daemon
import Gateway
import Hands
import Netlink
import Testing

@Suite("Putting right what somebody else broke (G-22)")
struct RestorationTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  @Test("at once, then after pauses that grow to the longest, and at once again after a calm time")
  func pauses() throws {
    var restoration = Restoration(longestPause: .seconds(4))
    var now = start
    var pauses: [Duration] = []
    for _ in 0..<11 {
      let first = restoration.moment(at: now)
      // More of the same before its time is over waits with it.
      let second = restoration.moment(at: now)
      let moment = try #require(first)
      #expect(second == nil)
      pauses.append(moment - now)
      // Broken again the moment it is whole.
      now = moment
      restoration.end()
    }
    #expect(pauses[...2] == [.zero, .milliseconds(50), .milliseconds(100)])
    #expect(pauses.suffix(3) == [.seconds(4), .seconds(4), .seconds(4)])
    let afterCalm = restoration.moment(at: now + .seconds(10))
    #expect(afterCalm == now + .seconds(10))
  }

  @Test("table and rules gone together: at once, however often, for nothing else keeps the LAN closed (G-22)")
  func together() {
    var table = Restoration(longestPause: .seconds(4))
    var rest = Restoration(longestPause: .seconds(1))
    var now = start
    for _ in 0..<20 {
      let first = rest.moment(at: now)
      #expect(Restoration.moment(first, of: table, and: rest, at: now) == first)
      let second = table.moment(at: now + .milliseconds(1))
      now += .milliseconds(1)
      #expect(Restoration.moment(second, of: table, and: rest, at: now) == now)
      table.end()
      rest.end()
    }
    let alone = table.moment(at: now)
    #expect(Restoration.moment(alone, of: table, and: rest, at: now) == now + .seconds(4))
  }

  @Test("the log says it once a minute, and how often it was")
  func once() {
    var told = OncePerMinute()
    #expect(told.line("gone", kind: "table", at: start) == "gone")
    for second in 1...30 { #expect(told.line("gone", kind: "table", at: start + .seconds(second)) == nil) }
    #expect(told.line("other", kind: "rule", at: start + .seconds(5)) == "other")
    #expect(
      told.line("gone", kind: "table", at: start + .seconds(61)) == "gone (and 30 times more since it was last said)")
    #expect(told.line("gone", kind: "table", at: start + .seconds(200)) == "gone")
  }

  @Test("the words: who did what to the table, and what else was gone")
  func words() throws {
    var change = FirewallChange()
    change.removed = 12
    #expect(LossText.words(change) == "another program removed parts of our nft table: restored")
    change.process = 123
    change.program = "nft"
    #expect(LossText.words(change) == "nft (pid 123) removed parts of our nft table: restored")
    change.deletesTable = true
    #expect(LossText.words(change) == "nft (pid 123) removed our nft table: restored")
    change.added = 1
    #expect(LossText.words(change) == "nft (pid 123) changed our nft table: restored")

    let rule = Rule(family: .ipv4, priority: 800, action: .unreachable)
    let device = NetworkPlan.TunDevice(
      name: try #require(DeviceName("tun-home")), alias: "adit:home", mtu: 1500, transmitQueueLength: 500)
    let losses = [
      Loss(step: .addRule(rule)), Loss(step: .addRule(rule)), Loss(step: .setLink(device)),
      Loss(step: .addRoute(Route(destination: .everything(.ipv4), kind: .unreachable))),
      Loss(step: .setSysctl(.init("net/ipv4/ip_forward", "1")), found: "0"), Loss(step: .loadRuleset("")),
      Loss(step: .addRoute(Route(destination: .everything(.ipv4), device: device.name))),
      Loss(step: .setSysctl(.init("net/ipv4/conf/tun-home/promote_secondaries", "1")), found: "0"),
    ]
    #expect(
      LossText.lines(losses).map(\.text) == [
        "the device tun-home was changed or removed by another program: restored",
        "net/ipv4/ip_forward is set to 1 again (was set to 0 by another program)",
        "2 rules of ours were removed by another program: restored",
        "one route of ours was gone: restored",
      ])
  }
}
