import Base
import Settings

extension Ruleset {
  private var mask: String { RulesetText.hexadecimal(situation.marks.mask) }
  private var others: String { RulesetText.hexadecimal(~situation.marks.mask) }

  /// Sets our byte of the packet's mark; the other bits belong to others.
  private func setMark(_ value: UInt32) -> String {
    "meta mark set meta mark & \(others) | \(RulesetText.hexadecimal(value))"
  }

  private func setConnectionMark(_ value: UInt32) -> String {
    "ct mark set ct mark & \(others) | \(RulesetText.hexadecimal(value))"
  }

  func isMarked(_ value: UInt32) -> String { "meta mark & \(mask) == \(RulesetText.hexadecimal(value))" }

  /// The answers of connections that carry the mark.
  func answers(_ value: UInt32) -> String {
    "ct direction reply ct mark & \(mask) == \(RulesetText.hexadecimal(value))"
  }

  private var isUnclaimed: String { "ct direction original ct state new ct mark & \(mask) == 0x00000000" }

  /// Where a packet came from decides by which way its answers go.
  func writeMarks(_ text: inout RulesetText) {
    let marks = situation.marks
    text.chain(
      "mark_in", base: "type filter hook prerouting priority mangle",
      ["\(answers(marks.own)) \(setMark(marks.own)) accept"]
        + situation.standing.map { "iifname \"\($0.state.device)\" goto from_tunnel_\($0.state.index)" }
        + ["iifname @uplinks goto from_uplink", "iifname @lan goto from_lan"])
    for tunnel in situation.standing {
      let mark = marks.tunnel(tunnel.state.index)
      text.chain(
        "from_tunnel_\(tunnel.state.index)", ["\(isUnclaimed) \(setConnectionMark(mark))", setMark(mark)])
    }
    text.chain(
      "from_uplink",
      [
        "iifname @onearm ip saddr @inside4 goto from_lan", "iifname @onearm ip6 saddr @inside6 goto from_lan",
        "iifname @onearm ip6 saddr fe80::/10 goto from_lan", "\(isUnclaimed) \(setConnectionMark(marks.wan))",
        // For a strict rp_filter: the way back is asked in main, where the packet came from.
        setMark(marks.wan),
      ])
    text.chain(
      "from_lan",
      ["ip saddr @pass4 \(setMark(marks.wan)) return", "ip6 saddr @pass6 \(setMark(marks.wan)) return"]
        + answersOfOthers.map { "\($0) return" } + ["jump policies"])
    // Marks of policies, first match wins.
    text.chain("policies", [])
    text.chain(
      "mark_out", base: "type route hook output priority mangle",
      ["\(isMarked(marks.own)) \(setConnectionMark(marks.own)) accept"] + answersOfOthers.map { "\($0) accept" })
  }

  /// Answers go back by the uplink or the tunnel that the connection came in by.
  private var answersOfOthers: [String] {
    let marks = situation.marks
    return
      (["\(answers(marks.wan)) \(setMark(marks.wan))"]
      + situation.standing.map { tunnel in
        let mark = marks.tunnel(tunnel.state.index)
        return "\(answers(mark)) \(setMark(mark))"
      })
  }
}
