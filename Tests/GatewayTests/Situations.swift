import Base
import Gateway
import Profile
import Settings

/// Situations that the whole-text tests and the ruleset tests share.
enum Situations {
  static let all: [(name: String, house: @Sendable () throws -> House)] =
    [
      ("G-04: before the first connection", closed), ("full tunnel", full), ("full tunnel with IPv6", fullWithIPv6),
      ("P-22, P-09, G-24: no gateway, specific routes", specific), ("O-33: no gateway, redirect-gateway", redirected),
      ("P-04: SoftEther's pair", pair), ("P-06: gateway with routes pushed only", pushedOnly), ("scope all", scopeAll),
      ("one-armed", oneArmed), ("G-18: subnet conflict", conflict), ("P-13: IPv6 switched off", withoutIPv6),
      ("P-07: net_gateway and exclude", exceptions), ("kill switch off and down", open),
      ("P-10: two tunnels", twoTunnels),
      ("IPv6 bypass", bypass), ("inbound block, DoT blocked, hijack", strict), ("unusable tunnel", unusable),
    ] + policies

  @Sendable static func closed() throws -> House {
    var house = try House()
    try house.addTunnel("home")
    try house.addGateway("home")
    return house
  }

  @Sendable static func full() throws -> House {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet()
      $0.redirect()
      try $0.resolver("192.0.2.53")
    }
    try house.addGateway("home")
    return house
  }

  @Sendable static func fullWithIPv6() throws -> House {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet()
      try $0.six()
      try $0.route("2000::/3")
      $0.mtu = 1400
    }
    try house.addGateway("home")
    return house
  }

  @Sendable static func specific() throws -> House {
    var house = try House()
    try house.addTunnel("work") {
      try $0.subnet("10.20.0.7", "255.255.240.0", gateway: "10.20.0.1")
      try $0.route("10.0.0.0/8", metric: 5)
      try $0.route("192.168.0.0/16")
      try $0.route("192.168.1.0/24")
      try $0.route("192.168.1.77/32")
      try $0.route("198.51.100.0/24")
      try $0.route("203.0.113.9/32")
      try $0.route("203.0.113.9/32")
      try $0.route("10.20.0.0/20")
      try $0.resolver("10.20.0.2")
      try $0.resolver("9.9.9.9")
    }
    return house
  }

  @Sendable static func redirected() throws -> House {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet()
      $0.redirect {
        $0.ipv6 = true
        $0.blockLocal = true
      }
      $0.blockIPv6 = true
    }
    return house
  }

  @Sendable static func pair() throws -> House {
    var house = try House()
    try house.addTunnel("home") {
      try $0.pair("192.168.30.29", "192.168.30.30")
      $0.routeGateway = try address4("192.168.30.30")
      $0.redirect()
      try $0.resolver("192.0.2.53")
    }
    try house.addGateway("home")
    return house
  }

  @Sendable static func pushedOnly() throws -> House {
    var house = try House()
    try house.addTunnel("work") {
      try $0.subnet()
      try $0.route("172.29.64.0/24")
    }
    try house.addGateway("work") { $0.routes = .pushed }
    return house
  }

  @Sendable static func scopeAll() throws -> House {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet()
      $0.redirect()
    }
    try house.addGateway("home") { $0.scope = .all }
    return house
  }

  @Sendable static func oneArmed() throws -> House {
    var house = try House.oneArmed()
    try house.addTunnel("home") {
      try $0.subnet()
      $0.redirect()
    }
    try house.addGateway("home", lan: ["eth0"])
    return house
  }

  @Sendable static func conflict() throws -> House {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet("192.168.1.200", "255.255.255.0", gateway: "192.168.1.254")
      $0.redirect()
    }
    try house.addGateway("home")
    return house
  }

  @Sendable static func withoutIPv6() throws -> House {
    var house = try fullWithIPv6()
    house.snapshot.hasIPv6 = false
    return house
  }

  @Sendable static func exceptions() throws -> House {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet()
      $0.redirect()
      try $0.route("10.0.0.0/8")
      try $0.route("10.66.0.0/16", by: .net)
      try $0.route("0.0.0.0/1", by: .net)
      try $0.route("172.16.5.0/24", by: .address(try address("192.168.1.9")))
      try $0.route("172.16.6.0/24", by: .address(try address("10.8.0.1")), metric: 7)
      $0.routes.append(RouteOption(destination: .remoteHost, gateway: .net, isPushed: true))
      $0.routes.append(RouteOption(destination: .name("intranet.example")))
    }
    try house.addGateway("home") { $0.excluded = [try prefix("100.64.0.0/10"), try prefix("10.77.0.0/16")] }
    return house
  }

  @Sendable static func open() throws -> House {
    var house = try full()
    house.tunnels[0].isUp = false
    house.settings.gateways[0].killSwitch = .off
    return house
  }

  @Sendable static func twoTunnels() throws -> House {
    var house = try House()
    try house.addTunnel("home") {
      try $0.subnet()
      try $0.route("10.50.0.0/16")
    }
    house.tunnels[0].isUp = false
    try house.addTunnel("backup", index: 2, server: "203.0.113.20") {
      try $0.subnet("10.9.0.6", "255.255.255.255", gateway: "10.9.0.1")
      try $0.route("10.50.0.0/16")
    }
    try house.addGateway("home", "backup")
    return house
  }

  @Sendable static func bypass() throws -> House {
    var house = try full()
    house.settings.gateways[0].ipv6 = .bypass
    return house
  }

  @Sendable static func strict() throws -> House {
    var house = try fullWithIPv6()
    house.tunnels[0].pushed?.tunnel.dns.addresses = [try address("10.8.0.1"), try address("fd00:8::1")]
    house.settings.gateways[0].scope = .all
    house.settings.gateways[0].inbound = .block
    house.settings.gateways[0].blocksDoT = true
    house.settings.gateways[0].dns = .hijack
    house.settings.gateways[0].ipv6 = .block
    return house
  }

  /// The profile is broken, the section named a tunnel that does not exist: both stay closed.
  @Sendable static func unusable() throws -> House {
    var house = try House()
    try house.addTunnel("home")
    house.tunnels[0].profile = nil
    house.tunnels[0].wantsDevice = false
    try house.addGateway("gone")
    return house
  }
}
