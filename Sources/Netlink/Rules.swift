import Base
import CNetlink
import Glibc

extension Rule {
  func message(adding: Bool, exclusively: Bool = true) -> Message {
    var header = fib_rule_hdr()
    header.family = family.number
    var table: UInt32?
    switch action {
    case .lookup(let number):
      header.action = UInt8(FR_ACT_TO_TBL)
      header.table = number < 256 ? UInt8(number) : UInt8(RT_TABLE_UNSPEC.rawValue)
      table = number
    case .unreachable: header.action = UInt8(FR_ACT_UNREACHABLE)
    }
    let source = source?.network
    let destination = destination?.network
    header.src_len = UInt8(source?.length ?? 0)
    header.dst_len = UInt8(destination?.length ?? 0)
    if isInverted { header.flags = UInt32(FIB_RULE_INVERT) }
    var message = Message(
      adding ? Int(RTM_NEWRULE) : Int(RTM_DELRULE),
      flags: NLM_F_ACK | (adding ? NLM_F_CREATE | (exclusively ? NLM_F_EXCL : 0) : 0), header: header)
    message.put(Int(FRA_PRIORITY), priority)
    message.put(Int(FRA_PROTOCOL), origin)
    if let table { message.put(Int(FRA_TABLE), table) }
    if let mark {
      message.put(Int(FRA_FWMARK), mark)
      message.put(Int(FRA_FWMASK), markMask)
    }
    if let inputDevice { message.put(Int(FRA_IIFNAME), inputDevice.text) }
    if let outputDevice { message.put(Int(FRA_OIFNAME), outputDevice.text) }
    if let source, source.length > 0 { message.put(Int(FRA_SRC), source.address) }
    if let destination, destination.length > 0 { message.put(Int(FRA_DST), destination.address) }
    if let ipProtocol { message.put(Int(FRA_IP_PROTO), ipProtocol) }
    if let ports = sourcePorts { message.putValue(Int(FRA_SPORT_RANGE), ports.range) }
    if let ports = destinationPorts { message.putValue(Int(FRA_DPORT_RANGE), ports.range) }
    if let suppressedLength { message.put(Int(FRA_SUPPRESS_PREFIXLEN), UInt32(suppressedLength)) }
    return message
  }

  /// `nil` for what a `Rule` cannot say: other actions (goto, prohibit…) and selectors (uidrange, suppress_ifgroup, dsfield…). Shown without them it would seem to hold for more than it does.
  init?(_ reply: Reply) {
    guard reply.type == Int(RTM_NEWRULE), let (header, attributes) = reply.parts(fib_rule_hdr.self),
      let family = AddressFamily(number: header.family), header.tos == 0, !attributes.narrowsInOtherWays
    else { return nil }
    let action: Action
    switch Int(header.action) {
    case Int(FR_ACT_TO_TBL): action = .lookup(attributes.uint32(Int(FRA_TABLE)) ?? UInt32(header.table))
    case Int(FR_ACT_UNREACHABLE): action = .unreachable
    default: return nil
    }
    // A mark of 0 is not sent, its mask is.
    let mask = attributes.uint32(Int(FRA_FWMASK))
    let mark = attributes.uint32(Int(FRA_FWMARK)) ?? (mask == nil ? nil : 0)
    func prefix(_ type: Int, _ length: UInt8) -> IPPrefix? {
      attributes.address(type).flatMap { IPPrefix($0, length: Int(length)) }
    }
    self.init(
      family: family, priority: attributes.uint32(Int(FRA_PRIORITY)) ?? 0, action: action, mark: mark,
      markMask: mask ?? 0xffff_ffff, isInverted: header.flags & UInt32(FIB_RULE_INVERT) != 0,
      inputDevice: attributes.deviceName(Int(FRA_IIFNAME)), outputDevice: attributes.deviceName(Int(FRA_OIFNAME)),
      source: prefix(Int(FRA_SRC), header.src_len), destination: prefix(Int(FRA_DST), header.dst_len),
      ipProtocol: attributes.uint8(Int(FRA_IP_PROTO)),
      sourcePorts: attributes.value(Int(FRA_SPORT_RANGE)).map { (range: fib_rule_port_range) in Ports(range) },
      destinationPorts: attributes.value(Int(FRA_DPORT_RANGE)).map { (range: fib_rule_port_range) in Ports(range) },
      // All ones where there is none.
      suppressedLength: attributes.uint32(Int(FRA_SUPPRESS_PREFIXLEN)).flatMap { UInt8(exactly: $0) },
      origin: attributes.uint8(Int(FRA_PROTOCOL)) ?? 0)
  }

  /// True when a request to delete this rule may hit `other`: the kernel takes what a request does not name for any
  /// (rule_find in net/core/fib_rules.c), and never looks at `not`.
  func deletionMatches(_ other: Rule) -> Bool {
    func fits<Value: Equatable>(_ wanted: Value?, _ found: Value?) -> Bool { wanted == nil || wanted == found }
    return family == other.family && priority == other.priority && action == other.action && origin == other.origin
      && fits(mark, other.mark) && (mark == nil || markMask == other.markMask)
      && fits(inputDevice, other.inputDevice) && fits(outputDevice, other.outputDevice)
      && fits(source, other.source) && fits(destination, other.destination) && fits(ipProtocol, other.ipProtocol)
      && fits(sourcePorts, other.sourcePorts) && fits(destinationPorts, other.destinationPorts)
      && fits(suppressedLength, other.suppressedLength)
  }

  /// As the kernel gives it back.
  var canonical: Rule {
    var rule = self
    rule.source = source.flatMap { $0.length == 0 ? nil : $0.network }
    rule.destination = destination.flatMap { $0.length == 0 ? nil : $0.network }
    if mark == nil { rule.markMask = 0xffff_ffff }
    return rule
  }
}

extension Rule.Ports {
  fileprivate init(_ range: fib_rule_port_range) { self.init(first: range.start, last: range.end) }

  fileprivate var range: fib_rule_port_range { fib_rule_port_range(start: first, end: last) }
}

extension Attributes {
  /// Selectors newer than the kernel headers this is built with (linux/fib_rules.h of 6.14): DSCP, flow label and its
  /// mask; then masks of ports, which are all ones for a plain port.
  private static let newer = [25, 26, 27]
  private static let portMasks = [28, 29]

  fileprivate var narrowsInOtherWays: Bool {
    let none = UInt32.max
    return (uint32(Int(FRA_SUPPRESS_IFGROUP)) ?? none) != none
      || has(Int(FRA_UID_RANGE)) || has(Int(FRA_TUN_ID)) || (uint8(Int(FRA_L3MDEV)) ?? 0) != 0
      || Self.newer.contains(where: has) || Self.portMasks.contains { (uint16($0) ?? .max) != .max }
  }
}

extension NetlinkSocket {
  func rules(_ family: AddressFamily) throws(NetlinkFailure) -> [Rule] {
    var header = fib_rule_hdr()
    header.family = family.number
    return try dump("read the rules", Int(RTM_GETRULE), header: header) { reply in
      Rule(reply).flatMap { $0.family == family ? [$0] : nil } ?? []
    }
  }
}
