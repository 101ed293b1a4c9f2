package import Base
import CNetlink
import Glibc

extension RuleOutline {
  init?(_ reply: Reply) {
    guard reply.type == Int(RTM_NEWRULE), let (header, attributes) = reply.parts(fib_rule_hdr.self),
      let family = AddressFamily(number: header.family)
    else { return nil }
    let mask = attributes.uint32(Int(FRA_FWMASK))
    // A mark of 0 is not sent, its mask is.
    let mark = attributes.uint32(Int(FRA_FWMARK)) ?? (mask == nil ? nil : 0)
    let rule = Rule(reply)
    self.init(
      family: family, priority: attributes.uint32(Int(FRA_PRIORITY)) ?? 0, mark: mark, markMask: mask ?? 0xffff_ffff,
      table: Int(header.action) == Int(FR_ACT_TO_TBL)
        ? attributes.uint32(Int(FRA_TABLE)) ?? UInt32(header.table) : nil,
      inputDevice: attributes.deviceName(Int(FRA_IIFNAME)), isForAll: rule?.hasNoSelector ?? false,
      origin: attributes.uint8(Int(FRA_PROTOCOL)) ?? 0)
  }
}

extension Rule {
  fileprivate var hasNoSelector: Bool {
    mark == nil && !isInverted && inputDevice == nil && outputDevice == nil && source == nil && destination == nil
      && ipProtocol == nil && sourcePorts == nil && destinationPorts == nil && suppressedLength == nil
  }
}

extension NetlinkSocket {
  /// Every policy routing rule there is, of both families; `snapshot` leaves out those that a `Rule` cannot say.
  package func ruleOutlines() throws(NetlinkFailure) -> [RuleOutline] {
    var all: [RuleOutline] = []
    for family in AddressFamily.allCases {
      var header = fib_rule_hdr()
      header.family = family.number
      all += try dump("read the rules", Int(RTM_GETRULE), header: header) { reply in
        RuleOutline(reply).flatMap { $0.family == family ? [$0] : nil } ?? []
      }
    }
    return all
  }
}
