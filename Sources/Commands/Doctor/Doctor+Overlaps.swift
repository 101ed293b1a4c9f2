import Base
import Gateway
import Settings

/// What others use of the things that we take for ours: the rule band, the bits of marks, the tables, the default route.
extension Doctor {
  private var band: ClosedRange<UInt32> { facts.settings.globals.ruleBand }

  private var foreignRules: [RuleOutline] { facts.rules.filter { $0.origin != Route.ours && !$0.isStandard } }

  var rules: [Finding] {
    var findings = Self.distinct(foreignRules.filter { band.contains($0.priority) }).map { rule in
      Finding(
        .rules, .problem,
        "a rule of another program stands in our band \(band.lowerBound)-\(band.upperBound): \(rule.words)",
        remedy: "set `option rule_priority` in `globals` to a band that is free, before the rules of mwan3 and pbr")
    }
    findings += Self.distinct(foreignRules.filter { $0.priority < band.lowerBound && $0.priority > 0 }).map { rule in
      Finding(
        .rules, .warning, "a rule of another program is asked before ours: \(rule.words)",
        remedy:
          "what it decides never reaches a tunnel; set `option rule_priority` below \(rule.priority) unless that is meant"
      )
    }
    return findings.isEmpty
      ? [Finding(.rules, .ok, "nobody else has rules at \(band.lowerBound)-\(band.upperBound) or before")] : findings
  }

  /// The same rule of both families is one line.
  private static func distinct(_ rules: [RuleOutline]) -> [RuleOutline] {
    var seen = Set<RuleOutline>()
    return rules.filter { rule in
      var key = rule
      key.family = .ipv4
      return seen.insert(key).inserted
    }
  }

  var marks: [Finding] {
    let mask = facts.settings.globals.marks.mask
    let hexadecimal = Self.hexadecimal(mask)
    let remedy = "set `option fwmark_mask` in `globals` to eight bits that nobody uses"
    var findings = Self.distinct(foreignRules.filter { ($0.mark ?? 0) & $0.markMask & mask != 0 }).map { rule in
      Finding(
        .marks, .problem, "a rule of another program uses our bits \(hexadecimal) of marks: \(rule.words)",
        remedy: remedy)
    }
    let uses = facts.firewall?.markUses(of: mask) ?? []
    findings += uses.filter(\.changes).map { use in
      Finding(
        .marks, .problem, "\(use.chain) changes bits \(Self.hexadecimal(use.bits)) of marks, which are ours",
        remedy: remedy + ", or let that program keep other bits with a mask")
    }
    let changing = Set(uses.filter(\.changes).map(\.chain))
    findings += uses.filter { !$0.changes && !changing.contains($0.chain) }.map { use in
      Finding(
        .marks, .warning, "\(use.chain) compares bits \(Self.hexadecimal(use.bits)) of marks, which are ours",
        remedy: remedy + ", or let that program compare with a mask")
    }
    return findings.isEmpty ? [Finding(.marks, .ok, "nobody else uses the bits \(hexadecimal) of marks")] : findings
  }

  var routes: [Finding] {
    let strange = facts.snapshot.routes.filter { RoutingTables.isOurs($0.table) && $0.origin != Route.ours }
    var findings: [Finding] = Set(strange.map(\.table)).sorted().map { table in
      let first = strange.first { $0.table == table }?.words ?? ""
      return Finding(
        .routes, .problem, "another program has routes in our table \(table): \(first)",
        remedy: "let it use a table outside of 44000-44257; `adit run` leaves those routes alone")
    }
    for family in AddressFamily.allCases {
      for device in takers(family) {
        findings.append(
          Finding(
            .routes, .warning, "\(device) takes all \(family.name), our own transport too: another VPN",
            remedy: "stop that VPN, or keep it from setting routes for everything, unless one inside the other is meant"
          ))
      }
    }
    return findings.isEmpty
      ? [Finding(.routes, .ok, "no other VPN takes everything, and our tables are our own")] : findings
  }

  /// Devices that hold a default or both halves of it in main, and are tunnels of others.
  private func takers(_ family: AddressFamily) -> [DeviceName] {
    let main = facts.snapshot.routes.filter {
      $0.table == Route.mainTable && $0.destination.family == family && $0.kind == .unicast && $0.origin != Route.ours
    }
    let halves = Dictionary(grouping: main.filter { $0.destination.length == 1 }, by: \.device)
      .filter { Set($0.value.map(\.destination.network)).count == 2 }.keys.compactMap { $0 }
    let tunnels = Set(
      facts.snapshot.links.filter { link in
        ["tun", "wireguard"].contains(link.kind) && !TunnelState.isOurs(link)
      }.map(\.name))
    let defaults = main.filter { $0.destination.length == 0 }.sorted { $0.metric < $1.metric }.first?.device
    return Set(halves + [defaults].compactMap { $0 }.filter(tunnels.contains)).sorted()
  }

  /// 1 = strict: the way back must lead to the same device (ip-sysctl.rst); the greater of `all` and the device's counts.
  var reversePath: [Finding] {
    let devices = facts.lan + facts.uplinks.values.map(\.device)
    let all = facts.sysctls["net/ipv4/conf/all/rp_filter"].flatMap(Int.init) ?? 0
    let strict = Set(devices).sorted().filter { device in
      max(all, facts.sysctls["net/ipv4/conf/\(device)/rp_filter"].flatMap(Int.init) ?? 0) == 1
    }
    guard !strict.isEmpty else { return [Finding(.reversePath, .ok, "the reverse path filter is not strict")] }
    let path = "net/ipv4/conf/all/src_valid_mark"
    let names = strict.map(\.text).joined(separator: ", ")
    if facts.sysctls[path] == "1" {
      return [Finding(.reversePath, .ok, "the reverse path filter of \(names) is strict, and asks with our marks")]
    }
    if facts.daemon == nil, !facts.readOnlySysctls.contains(path) {
      return [
        Finding(
          .reversePath, .ok, "the reverse path filter of \(names) is strict; `adit run` lets it ask with our marks")
      ]
    }
    return [
      Finding(
        .reversePath, .problem, "the reverse path filter of \(names) is strict and does not ask with our marks",
        remedy: "set net.ipv4.conf.all.src_valid_mark=1")
    ]
  }

  /// What a flow table has taken passes no forward chain any more.
  var offload: [Finding] {
    let tables = facts.firewall?.flowtables ?? []
    guard !tables.isEmpty else {
      return [Finding(.offload, .ok, "no flow is taken past the kill switch by an offload")]
    }
    return tables.map { table in
      let remedy =
        table.table == "fw4"
        ? "set `option flow_offloading '0'` in the defaults of /etc/config/firewall" : "remove the flowtable"
      return Finding(
        .offload, .warning,
        "flowtable \(table.family) \(table.table) \(table.name) carries flows past the forward chains: a pass that ends and a policy that changes reach only new ones",
        remedy: remedy)
    }
  }

  private static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension RuleOutline {
  /// `500: from all fwmark 0x1/0xff lookup 100`.
  fileprivate var words: String {
    var words = ["\(priority):"]
    if let mark { words.append("fwmark 0x\(String(mark, radix: 16))/0x\(String(markMask, radix: 16))") }
    if let inputDevice { words.append("iif \(inputDevice)") }
    if isForAll { words.append("from all") }
    words.append(table.map { "lookup \($0)" } ?? "another action")
    return words.joined(separator: " ")
  }
}
