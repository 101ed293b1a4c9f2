import Base
import Settings

/// Judges what `adit doctor` found. Pure: facts in, findings out.
package struct Doctor {
  let facts: DoctorFacts

  package init(_ facts: DoctorFacts) { self.facts = facts }

  /// In the order of the report; every check says at least one line.
  package var findings: [Finding] {
    [
      configuration, tun, nft, forwarding, ipv6, clock, uplink, servers, sizes, resolvers, nameService, firewall, rules,
      marks,
      routes, reversePath, offload, daemon,
    ].flatMap { $0 }
  }

  // MARK: The machine

  private var tun: [Finding] {
    guard let problem = facts.tunProblem else { return [Finding(.tun, .ok, "/dev/net/tun can be opened")] }
    return [
      Finding(
        .tun, .problem, "/dev/net/tun cannot be opened: \(problem)",
        remedy: "load the module `tun` (OpenWrt: kmod-tun); in a container give it the device")
    ]
  }

  private var nft: [Finding] {
    guard facts.nft.isInstalled else {
      return [
        Finding(.nft, .problem, "the program nft is not installed", remedy: "install the package nftables")
      ]
    }
    guard facts.nft.missing.isEmpty else {
      return facts.nft.missing.map { missing in
        Finding(
          .nft, .problem, "the kernel's nf_tables cannot do \(missing.part.rawValue): \(missing.words)",
          remedy: "install or load that part (OpenWrt: \(missing.part.package))")
      }
    }
    return [Finding(.nft, .ok, "nft is there, and the kernel can do all that our rules need")]
  }

  private var forwarding: [Finding] {
    AddressFamily.allCases.filter { $0 == .ipv4 || facts.snapshot.hasIPv6 }.map { family in
      let path = family == .ipv4 ? "net/ipv4/ip_forward" : "net/ipv6/conf/all/forwarding"
      let name = family.name
      let isOn = facts.sysctls[path] == "1"
      if facts.settings.gateways.allSatisfy({ $0.lan.isEmpty }) {
        return Finding(
          .forwarding, .ok, "\(name) \(isOn ? "is forwarded" : "is not forwarded, and no gateway needs it")")
      }
      if isOn { return Finding(.forwarding, .ok, "\(name) is forwarded") }
      guard facts.sysctls[path] != nil, !facts.readOnlySysctls.contains(path) else {
        return Finding(
          .forwarding, .problem, "\(name) is not forwarded, and \(path) cannot be written",
          remedy: "set \(path.split(separator: "/").joined(separator: "."))=1 outside of this container")
      }
      if family == .ipv4, facts.daemon != nil {
        return Finding(
          .forwarding, .problem, "a daemon runs, but something has switched the forwarding of IPv4 off",
          remedy: "find out what sets net.ipv4.ip_forward=0, then `adit reconnect` or restart the daemon")
      }
      let words = family == .ipv4 ? "`adit run` switches it on" : "`adit run` switches it on when a tunnel carries it"
      return Finding(.forwarding, .ok, "\(name) is not forwarded now; \(words)")
    }
  }

  private var ipv6: [Finding] {
    guard facts.snapshot.hasIPv6 else {
      return [Finding(.ipv6, .ok, "IPv6 is switched off on this router: nothing of it is carried, nothing leaks by it")]
    }
    let bypassing = facts.settings.gateways.filter { $0.ipv6 == .bypass }
    return bypassing.isEmpty
      ? [Finding(.ipv6, .ok, "IPv6 is on; without a tunnel that carries it, it is refused at once")]
      : bypassing.map { gateway in
        Finding(
          .ipv6, .warning, "gateway \(gateway.name) lets all IPv6 of its LAN past the tunnel",
          remedy: "leave `option ipv6 'bypass'` out unless that is meant")
      }
  }

  private var clock: [Finding] {
    let now = facts.now.rfc3339
    guard facts.now < Version.releaseDate else { return [Finding(.clock, .ok, "the clock says \(now)")] }
    return [
      Finding(
        .clock, .warning, "the clock was never set: it says \(now), before this program was made",
        remedy: "let NTP set it; until then certificates are checked at the month of the release")
    ]
  }

  private var configuration: [Finding] {
    let known = facts.configuration
    let first = known.first.map { ": \($0)" } ?? ""
    if known.isIncomplete || known.errors > 0 {
      let count = known.errors == 1 ? "an error" : "\(known.errors) errors"
      return [
        Finding(
          .configuration, .problem, "the configuration has \(count)\(first)", remedy: "`adit check` says them all")
      ]
    }
    if facts.settings.tunnels.isEmpty {
      return [
        Finding(
          .configuration, .problem, "no tunnel is configured",
          remedy: "name a profile in a `tunnel` section; docs/CONFIGURATION.md says how")
      ]
    }
    if known.warnings > 0 {
      let count = known.warnings == 1 ? "a warning" : "\(known.warnings) warnings"
      return [
        Finding(
          .configuration, .warning, "the configuration is valid, with \(count)\(first)",
          remedy: "`adit check` says them all")
      ]
    }
    let gateways = facts.settings.gateways.count
    return [
      Finding(
        .configuration, .ok,
        "the configuration is valid: \(Self.count(facts.settings.tunnels.count, "tunnel")), \(Self.count(gateways, "gateway"))"
      )
    ]
  }

  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
