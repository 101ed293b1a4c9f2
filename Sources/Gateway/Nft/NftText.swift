import Base

extension NftTable {
  /// For `nft -f -`, with its digest.
  package var text: String {
    var lines = ["table inet \(name) {"]
    lines += sets.map { "\t" + $0.text }
    lines += counters.map { "\tcounter \($0) { }" }
    for chain in chains {
      lines.append("\tchain \(chain.name) {")
      if let hook = chain.hook { lines.append("\t\t\(hook.text); policy accept;") }
      lines += chain.rules.map { "\t\t" + $0.text }
      lines.append("\t}")
    }
    return RulesetDigest.sealed((lines + ["}"]).joined(separator: "\n") + "\n")
  }
}

extension NftHook {
  var text: String {
    let offset = offset == 0 ? "" : offset < 0 ? " - \(-offset)" : " + \(offset)"
    return "type \(kind.rawValue) hook \(place.rawValue) priority \(priority.rawValue)\(offset)"
  }
}

extension NftSet {
  var text: String {
    switch elements {
    case .devices(let devices): text("ifname", flags: nil, devices.map { "\"\($0)\"" })
    case .prefixes(let family, let prefixes): text(family.nftType, flags: "interval", prefixes.map(\.description))
    case .macs(let addresses): text("ether_addr", flags: nil, addresses.map(\.description))
    case .timed(let set): text(set.type, flags: "timeout\(set.size.map { "; size \($0)" } ?? "")", [])
    }
  }

  private func text(_ type: String, flags: String?, _ elements: [String]) -> String {
    let flags = flags.map { " flags \($0);" } ?? ""
    let elements = elements.isEmpty ? "" : " elements = { \(elements.joined(separator: ", ")) };"
    return "set \(name) { type \(type);\(flags)\(elements) }"
  }
}

extension NftRule {
  /// `iifname @lan goto from_lan`.
  package var text: String { (matches.map(\.text) + statements.map(\.text)).joined(separator: " ") }
}

extension NftMatch {
  package var text: String {
    switch self {
    case .input(let devices, let isNegated): "iifname \(isNegated ? "!= " : "")\(devices.text)"
    case .output(let devices, let isNegated): "oifname \(isNegated ? "!= " : "")\(devices.text)"
    case .family(let family): "meta nfproto \(family.keyword)"
    case .familyIn(let set): "meta nfproto @\(set)"
    case .source(let family, let addresses): "\(family.nftHeader) saddr \(addresses.text)"
    case .destination(let family, let addresses): "\(family.nftHeader) daddr \(addresses.text)"
    case .etherSource(let set): "ether saddr @\(set)"
    case .mark(let value, let mask, let isNegated):
      "meta mark & \(mask.hexadecimal) \(isNegated ? "!=" : "==") \(value.hexadecimal)"
    case .connectionMark(let value, let mask): "ct mark & \(mask.hexadecimal) == \(value.hexadecimal)"
    case .direction(let direction): "ct direction \(direction.rawValue)"
    case .isNew: "ct state new"
    case .protocols(let protocols): "meta l4proto \(NftText.list(protocols.map(\.description)))"
    case .headerProtocol(let value): "ip protocol \(value)"
    case .ports(let ports):
      "\(ports.header.rawValue) \(ports.end.rawValue) \(NftText.list(ports.ranges.map(\.words)))"
    case .opensConnection: "tcp flags & (syn | rst) == syn"
    case .isForRouter: "fib daddr type { local, broadcast, multicast, anycast }"
    case .routesInto(let devices): "fib daddr oifname \(NftText.list(devices.map { "\"\($0)\"" }))"
    case .isFromRouter: "fib saddr type local"
    case .icmpv6Types(let types): "icmpv6 type \(NftText.list(types.map(\.rawValue)))"
    }
  }
}

extension NftStatement {
  package var text: String {
    switch self {
    case .setMark(let value, let mask): "meta mark set meta mark & \(NftText.byte(value, mask))"
    case .setConnectionMark(let value, let mask): "ct mark set ct mark & \(NftText.byte(value, mask))"
    case .accept: "accept"
    case .return: "return"
    case .jump(let chain): "jump \(chain)"
    case .goto(let chain): "goto \(chain)"
    case .counter(let name): "counter name \(name)"
    case .reject(.tcpReset): "reject with tcp reset"
    case .reject(.adminProhibited): "reject with icmpx type admin-prohibited"
    case .drop: "drop"
    case .masquerade: "masquerade"
    case .destinationNAT(let target):
      switch target.address {
      case .v4(let address): "dnat ip to \(address):\(target.port)"
      case .v6(let address): "dnat ip6 to [\(address)]:\(target.port)"
      }
    case .redirect(let port): "redirect to :\(port)"
    case .segmentSize(.fixed(let size)): "tcp option maxseg size set \(size)"
    case .segmentSize(.route): "tcp option maxseg size set rt mtu"
    }
  }
}

extension NftDevices {
  fileprivate var text: String {
    switch self {
    case .device(let name): "\"\(name)\""
    case .set(let name): "@\(name)"
    case .loopback: "\"lo\""
    }
  }
}

extension NftAddresses {
  fileprivate var text: String {
    switch self {
    case .set(let name): "@\(name)"
    case .prefixes(let prefixes): NftText.list(prefixes.map(\.description))
    }
  }
}

private enum NftText {
  /// One alone needs no braces.
  static func list(_ words: [String]) -> String {
    words.count == 1 ? words[0] : "{ \(words.joined(separator: ", ")) }"
  }

  static func byte(_ value: UInt32, _ mask: UInt32) -> String {
    (~mask).hexadecimal + (value == 0 ? "" : " | \(value.hexadecimal)")
  }
}

extension UInt32 {
  /// `0x00ff0000`.
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension AddressFamily {
  var nftType: String { self == .ipv4 ? "ipv4_addr" : "ipv6_addr" }
  /// The keyword for its header.
  fileprivate var nftHeader: String { self == .ipv4 ? "ip" : "ip6" }
  /// The suffix of our sets.
  var digit: String { self == .ipv4 ? "4" : "6" }
}
