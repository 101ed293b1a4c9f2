import Base
import NamespaceKit
import Netlink
import Testing

@Suite("Changes of links, addresses and routes", .enabled(if: Namespace.isPossible))
struct ChangeTests {
  @Test("a device takes MTU, alias, queue length and state at once, and goes")
  func link() throws {
    let (changed, untouched, gone) = try inHouse { socket in
      try Namespace.shell("ip tuntap add tun0 mode tun")
      let name = try device("tun0")
      try socket.perform(
        .setLink(LinkChange(name: name, mtu: 1420, isUp: true, alias: "adit:home", transmitQueueLength: 1000)))
      let changed = try socket.link(named: name)
      try socket.perform(.setLink(LinkChange(name: name, mtu: 1400)))
      let untouched = try socket.link(named: name)
      try socket.perform(.deleteLink(name))
      try socket.perform(.deleteLink(name))
      return (changed, untouched, try socket.link(named: name))
    }
    #expect(changed?.mtu == 1420)
    #expect(changed?.isUp == true)
    #expect(changed?.alias == "adit:home")
    #expect(changed?.transmitQueueLength == 1000)
    #expect(untouched?.mtu == 1400)
    #expect(untouched?.alias == "adit:home")
    #expect(untouched?.isUp == true)
    #expect(gone == nil)
  }

  @Test("addresses go on and off, twice without complaint")
  func addresses() throws {
    let lan = try device("lan0")
    let wanted = [
      InterfaceAddress(device: lan, prefix: try prefix("10.8.0.2/24")),
      InterfaceAddress(device: lan, prefix: try prefix("10.9.0.6/32"), peer: try address("10.9.0.5")),
      InterfaceAddress(device: lan, prefix: try prefix("fd00:8::2/64")),
      InterfaceAddress(device: lan, prefix: try prefix("fd00:9::2/128"), peer: try address("fd00:9::1")),
    ]
    let (before, during, text, after) = try inHouse { socket in
      let before = try socket.snapshot()
      for address in wanted + wanted { try socket.perform(.addAddress(address)) }
      let during = try socket.snapshot().addresses
      let text = try Namespace.shell("ip -6 addr show dev lan0")
      for address in wanted + wanted { try socket.perform(.deleteAddress(address)) }
      return (before, during, text, try socket.snapshot())
    }
    for address in wanted { #expect(during.contains(address)) }
    #expect(during.count == before.addresses.count + wanted.count)
    #expect(!text.contains("tentative"))
    #expect(before == after)
  }

  @Test("an IPv6 address that is there with another length is replaced")
  func otherLength() throws {
    let lan = try device("lan0")
    let wide = InterfaceAddress(device: lan, prefix: try prefix("fd00:8::2/64"))
    let narrow = InterfaceAddress(device: lan, prefix: try prefix("fd00:8::2/112"))
    let addresses = try inHouse { socket in
      try socket.perform(.addAddress(wide))
      try socket.perform(.addAddress(narrow))
      try socket.perform(.deleteAddress(wide))
      return try socket.snapshot().addresses
    }
    #expect(addresses.contains(narrow))
    #expect(!addresses.contains(wide))
  }

  static let table: UInt32 = 44001

  static func everyKindOfRoute() throws -> [Route] {
    let wan = try device("wan0")
    let lan = try device("lan0")
    return [
      Route(destination: .everything(.ipv4), device: lan, table: table),
      Route(destination: .everything(.ipv4), kind: .unreachable, table: table, metric: .max),
      Route(destination: try prefix("10.0.0.0/8"), device: lan, gateway: try address("192.168.1.7"), table: table),
      Route(
        destination: try prefix("10.1.0.0/16"), device: wan, source: try address("198.51.100.2"), table: table,
        metric: 5),
      Route(
        destination: try prefix("10.2.0.0/16"), device: wan, gateway: try address("9.9.9.9"), table: table,
        isOnLink: true),
      Route(
        destination: try prefix("10.3.0.0/16"), device: wan, gateway: try address("2001:db8::1"), table: table),
      Route(destination: try prefix("192.168.0.0/16"), kind: .throwing, table: table),
      Route(destination: try prefix("10.4.0.0/16"), kind: .blackhole, table: table),
      Route(destination: try prefix("10.5.0.0/16"), kind: .prohibit, table: table),
      Route(destination: .everything(.ipv6), device: lan, table: table),
      Route(destination: .everything(.ipv6), kind: .unreachable, table: table, metric: .max),
      Route(
        destination: try prefix("fd00::/8"), device: wan, gateway: try address("2001:db8::1"), table: table, metric: 7),
      Route(destination: try prefix("fd03::/16"), device: wan, table: table, metric: 1024),
      Route(destination: try prefix("fd01::/16"), kind: .throwing, table: table),
      Route(destination: try prefix("fd02::/16"), kind: .blackhole, table: table),
      Route(destination: try prefix("203.0.113.0/24"), device: wan, table: 77),
    ]
  }

  @Test("every kind of route comes back as it was given, twice, and goes")
  func routes() throws {
    let wanted = try Self.everyKindOfRoute()
    let (before, during, after) = try inHouse { socket in
      let before = try socket.snapshot()
      for route in wanted + wanted { try socket.perform(.addRoute(route)) }
      let during = try socket.snapshot().routes.filter { $0.origin == Route.ours }
      for route in wanted + wanted { try socket.perform(.deleteRoute(route)) }
      return (before, during, try socket.snapshot())
    }
    #expect(during.count == wanted.count)
    #expect(Set(during) == Set(wanted))
    #expect(before == after)
  }

  @Test("a route replaces the one of equal destination, metric and table")
  func replacement() throws {
    let lan = try device("lan0")
    let wan = try device("wan0")
    let routes = try inHouse { socket in
      for destination in [IPPrefix.everything(.ipv4), .everything(.ipv6)] {
        try socket.perform(.addRoute(Route(destination: destination, device: lan, table: 44001)))
        try socket.perform(.addRoute(Route(destination: destination, device: wan, table: 44001)))
      }
      return try socket.routes(in: 44001)
    }
    #expect(
      routes == [
        Route(destination: .everything(.ipv4), device: wan, table: 44001),
        Route(destination: .everything(.ipv6), device: wan, table: 44001),
      ])
  }

  @Test("deleting a route of ours leaves the same route of somebody else")
  func foreignRoute() throws {
    let wan = try device("wan0")
    let kept = try inHouse { socket in
      try Namespace.shell(
        "ip route add 10.0.0.0/8 dev wan0 proto static; ip -6 route add fd00::/8 dev wan0 proto static")
      try socket.perform(.deleteRoute(Route(destination: prefix("10.0.0.0/8"), device: wan)))
      try socket.perform(.deleteRoute(Route(destination: prefix("fd00::/8"), device: wan)))
      return try socket.snapshot().routes.filter { $0.origin == 4 }.count
    }
    #expect(kept == 2)
  }

  @Test("a refusal says what was asked, the errno and the kernel's words")
  func refusal() throws {
    let failures = try inHouse { socket in
      socket.perform([
        .addRoute(
          Route(destination: try prefix("10.0.0.0/8"), device: try device("lan0"), gateway: try address("9.9.9.9"))),
        .addRoute(Route(destination: try prefix("10.0.0.0/8"), device: try device("none0"))),
        .addRoute(Route(destination: try prefix("11.0.0.0/8"), device: try device("lan0"))),
        .deleteRoute(Route(destination: try prefix("12.0.0.0/8"), device: try device("none0"))),
      ])
    }
    #expect(failures[0]?.code == 101)
    #expect(
      failures[0]?.description
        == "add route 10.0.0.0/8 via 9.9.9.9 dev lan0 table 254: Network is unreachable (Nexthop has invalid gateway)")
    #expect(failures[1]?.code == 19)
    #expect(failures[2] == nil)
    #expect(failures[3] == nil)
  }

  @Test("400 routes go on and off in a few milliseconds, and a snapshot with them takes a few more")
  func many() throws {
    let lan = try device("lan0")
    let routes = (0..<400).map {
      Route(
        destination: IPPrefix(unmasked: IPv4Address(10, UInt8($0 / 256), UInt8($0 % 256), 0), 24), device: lan,
        table: 44001)
    }
    let (failures, counts, times) = try inHouse { socket in
      var failures: [NetlinkFailure?] = []
      var counts: [Int] = []
      var times: [Duration] = []
      times.append(ProcessorTime.measure { failures += socket.perform(routes.map(NetlinkChange.addRoute)) })
      times.append(try ProcessorTime.measure { counts.append(try socket.routes(in: 44001).count) })
      times.append(ProcessorTime.measure { failures += socket.perform(routes.map(NetlinkChange.deleteRoute)) })
      counts.append(try socket.routes(in: 44001).count)
      times.append(try ProcessorTime.measure { _ = try socket.snapshot() })
      return (failures, counts, times)
    }
    #expect(failures.compactMap { $0 }.isEmpty)
    #expect(counts == [400, 0])
    print(
      "400 routes added \(times[0]), snapshot \(times[1]), deleted \(times[2]); snapshot of an idle house \(times[3])")
    // Debug builds; release needs a tenth.
    #expect(times[0] < .milliseconds(250) && times[1] < .milliseconds(250) && times[3] < .milliseconds(100))
  }
}

extension IPPrefix {
  fileprivate init(unmasked address: IPv4Address, _ length: Int) {
    self = IPPrefix.everything(.ipv4)
    self.address = .v4(address)
    self.length = length
  }
}
