import Base
import Gateway
import Hands
import IO
import NamespaceKit
import Netlink
import Testing

@Suite("Leftovers of a killed predecessor", .enabled(if: Namespace.isPossible))
struct LeftoverTests {
  static let band: ClosedRange<UInt32> = 800...899

  @Test("a sweep removes exactly what is ours and puts the settings back")
  func sweep() throws {
    let plan = try samplePlan()
    let (before, swept, after, again, nft, forwarding, undo) = try inHouse { state in
      // Things of others that look a little like ours.
      try Namespace.shell(
        """
        set -e
        ip tuntap add tun-other mode tun; ip link set tun-other alias 'other:home' up
        ip rule add pref 850 lookup 100; ip route add 10.0.0.0/8 dev tun-other table 44001
        nft add table inet other
        """)
      let before = try NetlinkSocket().snapshot()
      // The hands go without a word: as after kill -9.
      _ = try Hands(stateDirectory: state.path).applyNow(plan, within: .seconds(5))
      let hands = try Hands(stateDirectory: state.path)
      try Namespace.shell("ip rule add pref 950 lookup 101 protocol 173")
      let swept = try hands.sweep(band: Self.band)
      try Namespace.shell("ip rule del pref 950 lookup 101 protocol 173")
      let after = try hands.netlink.snapshot()
      return (
        before, swept, after, try hands.sweep(band: Self.band), try Namespace.shell("nft list tables"),
        SysctlFile.value("net/ipv4/ip_forward"), state.undo
      )
    }
    #expect(before == after)
    #expect(swept.devices == [try device("tun-home")])
    #expect(swept.routes == plan.routes.count && swept.rules == plan.rules.count)
    #expect(swept.hadRuleset)
    #expect(swept.settings == ["net/ipv4/ip_forward", "net/ipv4/conf/all/src_valid_mark"])
    #expect(swept.failures == [])
    #expect(again.isEmpty)
    #expect(nft == "table inet other")
    #expect(forwarding == "0")
    #expect(undo == nil)
  }

  @Test("a successor adopts: devices of configured tunnels and the whole network stay, others go")
  func adoption() throws {
    let plan = try samplePlan()
    let (swept, again, nft) = try inHouse { state in
      _ = try Hands(stateDirectory: state.path).applyNow(plan, within: .seconds(5))
      try Namespace.shell("ip tuntap add tun-old mode tun; ip link set tun-old alias 'adit:old'")
      let hands = try Hands(stateDirectory: state.path)
      let name = try device("tun-home")
      let swept = try hands.sweep(
        band: Self.band, adopting: Leftovers.Adoption(devices: [name: "adit:home"], keepsNetwork: true))
      let again = Difference.steps(from: try hands.installed(for: plan), to: plan)
      _ = try hands.applyNow(plan, within: .seconds(5))
      _ = try hands.applyNow(NetworkPlan(), within: .seconds(5))
      return (swept, again, try Namespace.shell("nft list ruleset; sysctl -n net.ipv4.ip_forward"))
    }
    #expect(swept.devices == [try device("tun-old")])
    #expect(swept.lines == ["removed the device tun-old"])
    #expect(again == [])
    #expect(nft == "0")
  }
}

@Suite("Settings and their undo journal", .enabled(if: Namespace.isPossible))
struct UndoTests {
  private static let file = "net/ipv4/ip_default_ttl"

  private static func plan(_ value: String?) -> NetworkPlan {
    var plan = NetworkPlan()
    plan.sysctls = value.map { [.init(file, $0)] } ?? []
    return plan
  }

  @Test("a value that somebody changed after us is theirs and stays")
  func foreign() throws {
    let (value, undo) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      _ = try hands.applyNow(Self.plan("60"), within: .seconds(5))
      try Namespace.shell("sysctl -qw net.ipv4.ip_default_ttl=55")
      _ = try hands.applyNow(NetworkPlan(), within: .seconds(5))
      return (SysctlFile.value(Self.file), state.undo)
    }
    #expect(value == "55")
    #expect(undo == nil)
  }

  @Test("G-22: a value that somebody sets meanwhile is put right, and is what comes back in the end")
  func meanwhile() throws {
    let (isLost, losses, values, undo) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      _ = try hands.applyNow(Self.plan("60"), within: .seconds(5))
      var isLost = [hands.hasLostSetting]
      try Namespace.shell("sysctl -qw net.ipv4.ip_default_ttl=55")
      isLost.append(hands.hasLostSetting)
      _ = try hands.applyNow(Self.plan("60"), within: .seconds(5))
      isLost.append(hands.hasLostSetting)
      var values = [SysctlFile.value(Self.file)]
      let losses = hands.takeLosses()
      _ = try hands.applyNow(NetworkPlan(), within: .seconds(5))
      values.append(SysctlFile.value(Self.file))
      return (isLost, losses, values, state.undo)
    }
    #expect(isLost == [false, true, false])
    #expect(losses == [Loss(step: .setSysctl(.init(Self.file, "60")), found: "55")])
    #expect(values == ["60", "55"])
    #expect(undo == nil)
  }

  @Test("over several changes of ours and a change of hands the first value comes back")
  func chain() throws {
    let (journal, value) = try inHouse { state in
      _ = try Hands(stateDirectory: state.path).applyNow(Self.plan("60"), within: .seconds(5))
      let successor = try Hands(stateDirectory: state.path)
      _ = try successor.applyNow(Self.plan("61"), within: .seconds(5))
      let journal = state.undo
      _ = try successor.applyNow(NetworkPlan(), within: .seconds(5))
      return (journal, SysctlFile.value(Self.file))
    }
    #expect(journal == "sysctl\tnet/ipv4/ip_default_ttl\t64\t60\t61\n")
    #expect(value == "64")
  }

  @Test("killed between the note and the change: the value before is recognised either way")
  func between() throws {
    let values = try inHouse { state in
      try Namespace.shell("printf 'sysctl\\tnet/ipv4/ip_default_ttl\\t64\\t60\\t61\\n' > \(state.path)/undo")
      try Namespace.shell("sysctl -qw net.ipv4.ip_default_ttl=60")
      _ = try Hands(stateDirectory: state.path).sweep(band: 800...899)
      let restored = SysctlFile.value(Self.file)
      try Namespace.shell("printf 'sysctl\\tnet/ipv4/ip_default_ttl\\t64\\t60\\n' > \(state.path)/undo")
      let swept = try Hands(stateDirectory: state.path).sweep(band: 800...899)
      return (restored, SysctlFile.value(Self.file), swept.settings, state.undo)
    }
    #expect(values.0 == "64" && values.1 == "64")
    #expect(values.2 == [])
    #expect(values.3 == nil)
  }

  @Test("a value that is already as wanted is not ours to undo")
  func already() throws {
    let (undo, value) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      _ = try hands.applyNow(Self.plan("64"), within: .seconds(5))
      let undo = state.undo
      _ = try hands.applyNow(NetworkPlan(), within: .seconds(5))
      return (undo, SysctlFile.value(Self.file))
    }
    #expect(undo == nil)
    #expect(value == "64")
  }

  @Test("values with tabs survive; broken lines and paths that leave /proc/sys do nothing")
  func hostile() throws {
    let (first, second, swept) = try inHouse { state in
      let hands = try Hands(stateDirectory: state.path)
      let before = SysctlFile.value("net/ipv4/ip_local_port_range")
      var plan = NetworkPlan()
      plan.sysctls = [.init("net/ipv4/ip_local_port_range", "40000\t50000")]
      _ = try hands.applyNow(plan, within: .seconds(5))
      try Namespace.shell(
        "printf 'nonsense\\n\\nsysctl\\tx\\nsysctl\\t../../etc/hostname\\ta\\tb\\n' >> \(state.path)/undo")
      let swept = try Hands(stateDirectory: state.path).sweep(band: 800...899)
      return (before, SysctlFile.value("net/ipv4/ip_local_port_range"), swept)
    }
    #expect(first == second && first?.contains("\t") == true)
    #expect(swept.settings == ["net/ipv4/ip_local_port_range"])
  }

  @Test("a setting that this kernel does not have is reported and stops nothing else")
  func missing() throws {
    let (failures, value) = try inHouse { state in
      var plan = NetworkPlan()
      plan.sysctls = [.init("net/ipv4/no_such_setting", "1"), .init(Self.file, "60")]
      let hands = try Hands(stateDirectory: state.path)
      return (try hands.applyNow(plan, within: .seconds(5)), SysctlFile.value(Self.file))
    }
    #expect(failures.map(\.fault.code) == [.networkPlanFailed])
    #expect(value == "60")
  }
}
