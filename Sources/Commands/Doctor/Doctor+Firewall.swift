import Base
import Settings

/// Tables of other programs: an accept of ours cannot lift their drop.
extension Doctor {
  /// What must be able to pass, and how it is called.
  private struct Passage {
    var hook: String
    var traffic: ForeignFirewall.Traffic
    var words: String
    var input: DeviceName?
    var output: DeviceName?
  }

  var firewall: [Finding] {
    guard let firewall = facts.firewall else {
      let reason = facts.nft.readFailure.map { ": \($0)" } ?? ""
      return [
        Finding(
          .firewall, .warning, "the rules of other programs cannot be read\(reason)",
          remedy: "look with `nft list ruleset` for chains of the hook forward that drop")
      ]
    }
    var findings: [Finding] = []
    for hook in ["forward", "output", "input"] {
      for chain in firewall.filters(hook) {
        // The first passage that is dropped says enough of a chain.
        let verdicts = passages.lazy.filter { $0.hook == hook && ForeignFirewall.concerns(chain, $0.traffic.family) }
          .map { ($0, firewall.outcome(of: $0.traffic, in: chain)) }
        if let (passage, outcome) = verdicts.first(where: { $0.1.contains(.dropped) && !$0.1.contains(.accepted) }) {
          findings.append(finding(.problem, passage, outcome, chain, firewall))
        } else if let (passage, outcome) = verdicts.first(where: { $0.1.contains(.dropped) }) {
          findings.append(finding(.warning, passage, outcome, chain, firewall))
        }
      }
    }
    for table in facts.legacyTables {
      findings.append(
        Finding(
          .firewall, .warning, "\(table) of iptables-legacy is loaded, which nft does not show",
          remedy: "look with `iptables-legacy-save` for a FORWARD that drops what goes from the LAN to the tunnel"))
    }
    return findings.isEmpty
      ? [Finding(.firewall, .ok, "no table of another program stands in the way")] : findings
  }

  private var families: [AddressFamily] { facts.snapshot.hasIPv6 ? [.ipv4, .ipv6] : [.ipv4] }

  private var passages: [Passage] {
    var result: [Passage] = []
    for family in families {
      for lan in facts.lan {
        for tunnel in facts.tunnelDevices {
          var traffic = ForeignFirewall.Traffic(family, from: lan, to: tunnel)
          traffic.destinationPort = 443
          let words = "what goes from \(lan) to \(tunnel)"
          result.append(Passage(hook: "forward", traffic: traffic, words: words, input: lan, output: tunnel))
          var answer = ForeignFirewall.Traffic(family, from: tunnel, to: lan)
          answer.state = "established"
          result.append(
            Passage(
              hook: "forward", traffic: answer, words: "answers from \(tunnel) to \(lan)", input: tunnel, output: lan))
        }
        // Queries of the LAN that are redirected to the router's own resolver.
        if !facts.nameServers.isEmpty {
          var query = ForeignFirewall.Traffic(family, from: lan)
          query.transport = "udp"
          query.destinationPort = 53
          result.append(Passage(hook: "input", traffic: query, words: "DNS queries from \(lan)", input: lan))
        }
      }
      guard let uplink = facts.uplinks[family]?.device else { continue }
      for server in facts.servers where server.address.map({ $0.family == family }) ?? true {
        var traffic = ForeignFirewall.Traffic(family, to: uplink)
        traffic.transport = server.usesTCP ? "tcp" : "udp"
        traffic.destinationPort = Int64(server.port)
        let words = "our own packets to \(server.host) port \(server.port)"
        result.append(Passage(hook: "output", traffic: traffic, words: words, output: uplink))
        var answer = ForeignFirewall.Traffic(family, from: uplink)
        answer.transport = traffic.transport
        answer.state = "established"
        result.append(Passage(hook: "input", traffic: answer, words: "answers of \(server.host)", input: uplink))
        break
      }
    }
    return result
  }

  private func finding(
    _ state: Finding.State, _ passage: Passage, _ outcome: ForeignFirewall.Outcome, _ chain: ForeignFirewall.Chain,
    _ firewall: ForeignFirewall
  ) -> Finding {
    let how = outcome.contains(.droppedByPolicy) ? "by its policy" : "by a rule"
    let verb = state == .problem ? "drops" : "may drop"
    return Finding(
      .firewall, state, "\(chain.name) \(verb) \(passage.words), \(how)",
      remedy: remedy(for: passage, in: chain, of: firewall.owner(of: chain.name)))
  }

  private func remedy(
    for passage: Passage, in chain: ForeignFirewall.Chain, of owner: ForeignFirewall.Owner
  ) -> String {
    let input = passage.input?.text, output = passage.output?.text
    if passage.hook == "forward", let input, let output {
      let isTunnelInput = facts.tunnelDevices.contains { $0.text == input }
      let lan = isTunnelInput ? output : input
      let tunnel = isTunnelInput ? input : output
      switch owner {
      case .fw4:
        return "in /etc/config/firewall make a zone with `list device '\(tunnel)'` and a `config forwarding` "
          + "from the zone of \(lan) to it"
      case .docker:
        return "iptables -I DOCKER-USER -i \(lan) -o \(tunnel) -j ACCEPT; and for the answers "
          + "iptables -I DOCKER-USER -i \(tunnel) -o \(lan) -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT"
      case .ufw: return "ufw route allow in on \(lan) out on \(tunnel)"
      case .firewalld:
        return "firewall-cmd --permanent --new-policy adit; allow with it what goes from the zone of \(lan) to that of "
          + "\(tunnel)"
      case .other: break
      }
    }
    let words = [input.map { "iifname \"\($0)\"" }, output.map { "oifname \"\($0)\"" }].compactMap { $0 }
    let port = passage.traffic.state == "new" ? passage.traffic.destinationPort : nil
    let match = passage.hook == "forward" ? nil : port.map { "\(passage.traffic.transport) dport \($0)" }
    let state = passage.traffic.state == "new" ? nil : "ct state established,related"
    let rule = (words + [match, state].compactMap { $0 } + ["accept"]).joined(separator: " ")
    return "let that program accept it: `\(rule)` before the drop"
  }
}
