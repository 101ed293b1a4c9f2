import Base
import Settings

extension Ruleset {
  private var mask: UInt32 { situation.marks.mask }

  func setMark(_ value: UInt32) -> NftStatement { .setMark(value, mask: mask) }
  private func setConnectionMark(_ value: UInt32) -> NftStatement { .setConnectionMark(value, mask: mask) }
  func isMarked(_ value: UInt32, isNegated: Bool = false) -> NftMatch {
    .mark(value, mask: mask, isNegated: isNegated)
  }

  /// The answers of connections that carry the mark.
  func answers(_ value: UInt32) -> [NftMatch] { [.direction(.reply), .connectionMark(value, mask: mask)] }

  private var isUnclaimed: [NftMatch] { [.direction(.original), .isNew, .connectionMark(0, mask: mask)] }

  /// Where a packet came from decides by which way its answers go.
  var markChains: [NftChain] {
    let marks = situation.marks
    var chains = [
      NftChain(
        "mark_in", NftHook(.filter, .prerouting, .mangle),
        [NftRule(answers(marks.own), then: [setMark(marks.own), .accept], origin: .transport)]
          + situation.sessions.map {
            NftRule(.input(.device($0.state.device)), then: .goto(NftName("from_tunnel").of($0.state.index)))
          }
          + [
            NftRule(.from("uplinks"), then: .goto("from_uplink")),
            NftRule(.input(.loopback, isNegated: true), then: .goto("from_lan")),
          ])
    ]
    chains += situation.standing.map { tunnel in
      let mark = marks.tunnel(tunnel.state.index)
      return NftChain(
        NftName("from_tunnel").of(tunnel.state.index), nil,
        [NftRule(isUnclaimed, then: [setConnectionMark(mark)]), NftRule(then: setMark(mark))])
    }
    chains.append(fromUplink)
    chains.append(
      NftChain(
        "from_lan", nil,
        // No packet of a LAN chooses its way by a mark of ours.
        [NftRule(then: setMark(0))] + exceptions(then: setMark(marks.wan), .return)
          + answersOfOthers.map { NftRule($0.matches, then: $0.statements + [.return], origin: .answers) }
          + [NftRule(then: .jump("policies"))] + dnsMarks))
    chains.append(
      NftChain(
        "mark_out", NftHook(.route, .output, .mangle),
        // A default that somebody laid through a tunnel would have it carry itself, round and round.
        [NftRule([isMarked(marks.own), .into("tunnels")], then: [.goto(routerRefusal)], origin: .transport)]
          + [NftRule([isMarked(marks.own)], then: [setConnectionMark(marks.own), .accept], origin: .transport)]
          + answersOfOthers.map { NftRule($0.matches, then: $0.statements + [.accept], origin: .answers) }
          + (fromRouter == nil ? [] : [NftRule(then: .jump("from_router"))]) + [routerQueries]))
    if let fromRouter { chains.append(fromRouter) }
    return chains
  }

  private var fromUplink: NftChain {
    NftChain(
      "from_uplink", nil,
      fromInside(then: .goto("from_lan")) + [
        NftRule(isUnclaimed, then: [setConnectionMark(situation.marks.wan)]),
        // For a strict rp_filter: the way back is asked in main, where the packet came from.
        NftRule(then: setMark(situation.marks.wan)),
      ])
  }

  /// Packets of a one-armed LAN come in by the uplink too.
  func fromInside(then statement: NftStatement) -> [NftRule] {
    let oneArmed = NftMatch.from("onearm")
    return [
      NftRule(oneArmed, .source(.ipv4, in: "inside4"), then: statement),
      NftRule(oneArmed, .source(.ipv6, in: "inside6"), then: statement),
      NftRule([oneArmed, .source(.ipv6, .prefixes(WellKnown.linkLocal))], then: [statement]),
    ]
  }

  /// Answers go back by the uplink or the tunnel that the connection came in by.
  private var answersOfOthers: [NftRule] {
    let marks = situation.marks
    return ([marks.wan] + situation.standing.map { marks.tunnel($0.state.index) }).map {
      NftRule(answers($0), then: [setMark($0)])
    }
  }
}

/// What holds whatever the configuration says.
extension NftOrigin {
  static let transport = NftOrigin("Adit's own transport")
  static let answers = NftOrigin("the answer of a connection that began outside goes back as it came")
  static let marked = NftOrigin("its way was chosen before: an answer, a policy, a pass")
  static let pass = NftOrigin("adit pass")
  static let house = NftOrigin("inside the house")
}

/// Prefixes of the standards.
enum WellKnown {
  /// RFC 4291 section 2.5.6.
  static let linkLocal = prefixes("fe80::/10")
  /// Link-local, and multicast that stays on the link.
  static let onLink6 = prefixes("fe80::/10", "ff02::/16")
  /// RFC 5771 section 4: multicast that is never forwarded.
  static let onLink4 = prefixes("224.0.0.0/24")

  /// RFC 1918.
  static let private4 = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
  /// RFC 4193.
  static let private6 = prefixes("fc00::/7")

  private static func prefixes(_ texts: String...) -> [IPPrefix] { texts.compactMap { IPPrefix($0) } }
}
