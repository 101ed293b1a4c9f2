import Base
import ConfigDirectory
import Control
import Crypto
import Gateway
import Glibc
import Hands
import IO
import Netlink
import Profile
import Settings

/// `adit doctor`: looks at everything that Adit needs, and says what stands in its way.
package enum DoctorCommand {
  package static func run(configPath: String?, stateDirectory: String, asJSON: Bool) -> ExitCode {
    guard geteuid() == 0 else { return Terminal.fail(.noPermission, "doctor needs root, to see all of the system") }
    do throws(NetlinkFailure) {
      let facts = try DoctorFacts.gather(configPath: configPath, stateDirectory: stateDirectory)
      let findings = Doctor(facts).findings
      Terminal.say(
        asJSON
          ? DoctorText.json(findings).line + "\n"
          : DoctorText.render(findings, isColoured: Terminal.isColourful()))
      return findings.contains { $0.state == .problem } ? .unavailable : .ok
    } catch {
      return Terminal.fail(.failure, "\(error)")
    }
  }
}

extension DoctorFacts {
  /// Rules of a router with docker, fw4 and banIP together stay far below; sets are left out when they do not.
  private static let longestRuleset = JSONReader.largest - 1

  static func gather(configPath: String?, stateDirectory: String) throws(NetlinkFailure) -> DoctorFacts {
    let netlink = try NetlinkSocket()
    var facts = DoctorFacts()
    facts.now = Clock.wallTime
    facts.snapshot = try netlink.snapshot()
    facts.rules = try netlink.ruleOutlines()
    facts.hasTable = try FirewallTable.exists(NetworkPlan.table.text)
    switch ControlClient.ask(.status(tunnel: nil), stateDirectory: stateDirectory) {
    case .success(.status(let report)): facts.daemon = report
    case .failure(.notRunning): break
    case .failure(let failure): facts.daemonFailure = failure.text
    case .success: facts.daemonFailure = "it gave no status"
    }
    facts.takeConfiguration(ConfigurationDirectory.load(path: configPath))
    facts.tunProblem = tunProblem()
    facts.askNft()
    try facts.askForPaths(netlink)
    let pushed = facts.daemon?.tunnels.flatMap(\.dns).compactMap { IPAddress($0) } ?? []
    facts.resolvers = UplinkResolvers.find(bootstrap: facts.settings.globals.bootstrapDNS, pushed: pushed)
    facts.askResolvers()
    facts.nameServers = listeners(port: 53)
    facts.readSysctls()
    facts.legacyTables = [("ip_tables_names", "iptables"), ("ip6_tables_names", "ip6tables")].flatMap { file, program in
      let text = (try? TextFile.read("/proc/net/\(file)", limit: 4096).bytes).map {
        String(decoding: $0, as: UTF8.self)
      }
      return (text ?? "").split(separator: "\n").filter { $0 == "filter" }.map { "\(program) table \($0)" }
    }
    return facts
  }

  private mutating func takeConfiguration(_ loaded: LoadedConfiguration) {
    settings = loaded.settings
    configuration.isIncomplete = loaded.isIncomplete
    configuration.errors = loaded.diagnostics.count { $0.severity == .error }
    configuration.warnings = loaded.diagnostics.count { $0.severity == .warning }
    let worst =
      loaded.diagnostics.first { $0.severity == .error } ?? loaded.diagnostics.first { $0.severity == .warning }
    configuration.first = worst.map { CheckText.line($0, isColoured: false) }
    for tunnel in loaded.tunnels where tunnel.settings.isEnabled {
      servers += (tunnel.profile?.remotes ?? []).map { remote in
        ServerFacts(
          tunnel: tunnel.settings.name, host: remote.host, port: remote.port, usesTCP: remote.transport == .tcp,
          address: IPAddress(remote.host))
      }
    }
  }

  /// The programs that hold these sockets, as far as we may look.
  private static func listeners(port: UInt16) -> [Listener] {
    let sockets = ListeningSockets.find(port: port)
    guard !sockets.isEmpty else { return [] }
    let links = Set(sockets.map(\.link))
    var programs: [String: String] = [:]
    for process in RunningProcess.all where programs.count < links.count {
      for link in RunningProcess.openFiles(of: process) where links.contains(link) {
        programs[link] = RunningProcess.name(of: process)
      }
    }
    var seen = Set<Listener>()
    return sockets.map { Listener(program: programs[$0.link], address: $0.address) }
      .filter { seen.insert($0).inserted }
  }

  /// A device is no regular file: to be told so means that it was opened.
  private static func tunProblem() -> String? {
    do throws(TextFile.ReadFailure) {
      _ = try TextFile.read("/dev/net/tun", limit: 1)
      return "it is a file"
    } catch {
      return error == .notRegular ? nil : error.description
    }
  }

  private mutating func askNft() {
    nft.isInstalled = NftProgram.path != nil
    guard nft.isInstalled else { return }
    // One run tells that all is well; only trouble is asked about part by part.
    let all = NftProbe.allCases.map(\.text).joined()
    if case .failure = NftProgram.ask(["-c", "-f", "-"], input: all) {
      nft.missing = NftProbe.allCases.compactMap { part in
        guard case .failure(let refusal) = NftProgram.ask(["-c", "-f", "-"], input: part.text) else { return nil }
        return NftFacts.Missing(part, refusal.words)
      }
    }
    var listing = NftProgram.ask(["-j", "-s", "list", "ruleset"], limit: Self.longestRuleset, keepsErrors: false)
    if case .failure = listing {
      listing = NftProgram.ask(["-j", "-s", "-t", "list", "ruleset"], limit: Self.longestRuleset, keepsErrors: false)
    }
    switch listing {
    case .failure(let refusal): nft.readFailure = refusal.words
    case .success(let text):
      do throws(JSONReader.Failure) {
        firewall = ForeignFirewall(try JSONReader.value(of: text.utf8))
      } catch {
        nft.readFailure = "what nft prints is not understood at \(error.offset): \(error.reason)"
      }
    }
  }

  private static let patience: Duration = .seconds(1)

  /// Those of the uplink beside the tunnels, as our own packets go; those inside as the router's own questions go.
  private mutating func askResolvers() {
    func silent(_ asked: Set<IPAddress>, mark: UInt32?) -> Set<IPAddress> {
      guard !asked.isEmpty else { return [] }
      let token = UInt16(truncatingIfNeeded: RandomSource.system.uint64())
      let sounding = Sounding(hosts: [], resolvers: asked, mark: mark, token: token)
      sounding.complete(at: Clock.now, within: Self.patience)
      return asked.subtracting(sounding.answered)
    }
    silentResolvers = silent(Set(resolvers.map(\.address)), mark: settings.globals.marks.own)
    let inner = (daemon?.tunnels ?? []).filter { $0.status == .connected }.flatMap { tunnel in
      tunnel.dns.compactMap { IPAddress($0) }.map { (tunnel.name, $0) }
    }
    let deaf = silent(Set(inner.map(\.1)), mark: nil)
    innerResolvers = inner.map { InnerResolver(tunnel: $0, address: $1, answers: !deaf.contains($1)) }
  }

  private mutating func askForPaths(_ netlink: NetlinkSocket) throws(NetlinkFailure) {
    let mark = settings.globals.marks.own
    // Documentation addresses, which only a default route covers; asking for a way sends nothing.
    let anywhere: [IPAddress] = [
      .v4(IPv4Address(192, 0, 2, 1)), .v6(IPv6Address(high: 0x2001_0db8_0000_0000, low: 1)),
    ]
    for address in anywhere { uplinks[address.family] = try netlink.path(to: address, mark: mark) }
    for index in servers.indices {
      if let address = servers[index].address { servers[index].path = try netlink.path(to: address, mark: mark) }
    }
  }

  private mutating func readSysctls() {
    let devices = Set(["all"] + settings.gateways.flatMap(\.lan).map(\.text) + uplinks.values.map(\.device.text))
    let paths =
      ["net/ipv4/ip_forward", "net/ipv6/conf/all/forwarding", "net/ipv4/conf/all/src_valid_mark"]
      + devices.map { "net/ipv4/conf/\($0)/rp_filter" }
    for path in paths {
      guard let value = SysctlFile.value(path) else { continue }
      sysctls[path] = value
      if !TextFile.isWritable("/proc/sys/\(path)") { readOnlySysctls.insert(path) }
    }
  }
}
