import Base
import Gateway
import Profile
import Settings

/// Houses with policies.
extension Situations {
  static let policies: [(name: String, house: @Sendable () throws -> House)] = [
    ("policy by address to the wan", policyToWAN), ("policies of every kind", policiesOfEveryKind),
    ("policy into a tunnel without IPv6", policyIntoTunnel), ("policy while its tunnel is down", policiesWhileDown),
    ("policies of the router, scope all", policiesOfRouter), ("policies without a gateway", policiesWithoutGateway),
    ("policies of a one-armed gateway", policiesOneArmed), ("G-03: policies that cannot be read", policiesUnreadable),
    ("policies by domain", policiesByDomain), ("policy for IPv6, which the gateway blocks", policyForIPv6),
  ]

  @Sendable static func policyToWAN() throws -> House {
    var house = try full()
    try house.addPolicy("tv", from: ["192.168.1.50"], via: "wan")
    return house
  }

  @Sendable static func policiesOfEveryKind() throws -> House {
    var house = try full()
    try house.addTunnel("work", index: 2, server: "203.0.113.20") {
      try $0.subnet("10.9.0.2", gateway: "10.9.0.1")
      try $0.six("fd00:9::2/64", remote: "fd00:9::1")
    }
    try house.addPolicy(
      "web", from: ["192.168.1.0/24", "fd01::/64", "!192.168.1.7"], to: ["203.0.113.0/24", "203.0.113.128/25"],
      via: "wan"
    ) {
      $0.protocols = [.tcp]
      $0.destinationPorts = [.init(443), .init(first: 8000, last: 8080), .init(8080)]
    }
    try house.addPolicy("laptop", from: ["02:00:00:00:00:07"], via: "work")
    try house.addPolicy("guests", from: ["@br-guest"], to: ["!2001:db8:5::/48", "!198.51.100.7"], via: "home")
    try house.addPolicy("camera", from: ["192.168.1.60", "!02:00:00:00:00:09"], via: "block") {
      $0.protocols = [.udp, .icmp]
    }
    return house
  }

  @Sendable static func policyIntoTunnel() throws -> House {
    var house = try full()
    try house.addPolicy("tv", from: ["@br-tv"], via: "home")
    return house
  }

  @Sendable static func policiesWhileDown() throws -> House {
    var house = try closed()
    try house.addPolicy("block", from: ["192.168.1.50"], via: "home")
    try house.addPolicy("wan", from: ["192.168.1.51"], via: "home") { $0.onDown = .wan }
    try house.addPolicy("next", from: ["192.168.1.52"], via: "home") { $0.onDown = .next }
    try house.addPolicy("last", from: ["192.168.1.52"], via: "wan")
    return house
  }

  @Sendable static func policiesOfRouter() throws -> House {
    var house = try scopeAll()
    try house.addPolicy("ntp", via: "wan") {
      $0.protocols = [.udp]
      $0.destinationPorts = [.init(123)]
    }
    try house.addPolicy("mail", via: "block") {
      $0.protocols = [.tcp]
      $0.destinationPorts = [.init(25)]
    }
    return house
  }

  @Sendable static func policiesWithoutGateway() throws -> House {
    var house = try House()
    try house.addTunnel("home") { try $0.subnet() }
    try house.addPolicy("tv", from: ["@br-tv"], via: "home")
    try house.addPolicy("camera", from: ["192.168.1.60"], via: "block")
    return house
  }

  @Sendable static func policiesOneArmed() throws -> House {
    var house = try oneArmed()
    try house.addPolicy("tv", from: ["192.168.178.50"], via: "wan")
    return house
  }

  @Sendable static func policiesUnreadable() throws -> House {
    var house = try full()
    try house.addPolicy("early", from: ["192.168.1.49"], via: "wan")
    try house.addPolicy("lost", via: "wan") { $0.reading = .nothing }
    try house.addPolicy("part", from: ["192.168.1.50"], via: "wan") { $0.reading = .part }
    try house.addPolicy("list", via: "block") { $0.sources = [.init(match: .list("nowhere"))] }
    try house.addPolicy("late", from: ["192.168.1.51"], via: "wan")
    return house
  }

  @Sendable static func policiesByDomain() throws -> House {
    var house = try full()
    try house.addPolicy("video", to: ["example.com", "203.0.113.0/24", "!intern.example.com"], via: "wan")
    return house
  }

  @Sendable static func policyForIPv6() throws -> House {
    var house = try fullWithIPv6()
    house.settings.gateways[0].ipv6 = .block
    try house.addPolicy("laptop", from: ["fd01::7"], via: "home")
    return house
  }
}
