package import Base
package import Control
package import Settings

/// Everything `adit doctor` judges, read at one moment. Judging it is pure: `Doctor.findings`.
package struct DoctorFacts: Sendable {
  /// Why /dev/net/tun cannot be opened; `nil` = it can.
  package var tunProblem: String?
  package var nft = NftFacts()
  /// Paths below /proc/sys with their values; a missing one is not there.
  package var sysctls: [String: String] = [:]
  /// Those of them that cannot be written.
  package var readOnlySysctls: Set<String> = []
  package var now = WallTime(seconds: 0)
  package var configuration = ConfigurationFacts()
  package var settings = Settings()
  package var servers: [ServerFacts] = []
  package var snapshot = Snapshot()
  package var rules: [RuleOutline] = []
  /// The way out of our own transport, by family.
  package var uplinks: [AddressFamily: Path] = [:]
  package var resolvers: [Endpoint] = []
  /// Those of them that were asked and did not answer.
  package var silentResolvers: Set<IPAddress> = []
  /// Of the tunnels that are connected.
  package var innerResolvers: [InnerResolver] = []
  /// Who answers on port 53, `dnsmasq on 192.168.1.1`.
  package var nameServers: [Listener] = []
  /// The running daemon's status; `nil` = none answers.
  package var daemon: StatusReport?
  /// Why a daemon that runs could not be asked.
  package var daemonFailure: String?
  /// True when our nft table stands.
  package var hasTable = false
  /// `nil` when it could not be read; `nft` says why.
  package var firewall: ForeignFirewall?
  /// Tables of iptables-legacy, which nft does not show: `iptables filter`.
  package var legacyTables: [String] = []

  package init() {}

  package struct NftFacts: Hashable, Sendable {
    package var isInstalled = true
    /// Parts of the kernel that our rules need and that nft could not use, with nft's words.
    package var missing: [Missing] = []
    /// Why the standing rules could not be read.
    package var readFailure: String?

    package init() {}

    package struct Missing: Hashable, Sendable {
      package var part: NftProbe
      package var words: String

      package init(_ part: NftProbe, _ words: String) {
        self.part = part
        self.words = words
      }
    }
  }

  package struct ConfigurationFacts: Hashable, Sendable {
    package var errors = 0
    package var warnings = 0
    /// The first error or warning, as `check` prints it.
    package var first: String?
    package var isIncomplete = false

    package init() {}
  }

  /// One server of an enabled tunnel.
  package struct ServerFacts: Hashable, Sendable {
    package var tunnel: TunnelName
    package var host: String
    package var port: UInt16
    package var usesTCP: Bool
    /// Known when the profile gives an address instead of a name, or the daemon speaks to it.
    package var address: IPAddress?
    package var path: Path?

    package init(
      tunnel: TunnelName, host: String, port: UInt16, usesTCP: Bool, address: IPAddress? = nil, path: Path? = nil
    ) {
      self.tunnel = tunnel
      self.host = host
      self.port = port
      self.usesTCP = usesTCP
      self.address = address
      self.path = path
    }
  }

  package struct InnerResolver: Hashable, Sendable {
    package var tunnel: String
    package var address: IPAddress
    package var answers: Bool

    package init(tunnel: String, address: IPAddress, answers: Bool) {
      self.tunnel = tunnel
      self.address = address
      self.answers = answers
    }
  }

  package struct Listener: Hashable, Sendable {
    /// The program's name; `nil` when it cannot be told.
    package var program: String?
    package var address: IPAddress

    package init(program: String?, address: IPAddress) {
      self.program = program
      self.address = address
    }
  }

  /// The LANs of all gateways.
  var lan: [DeviceName] { Set(settings.gateways.flatMap(\.lan)).sorted() }
  /// The tunnels that gateways name, as devices.
  var tunnelDevices: [DeviceName] {
    let named = Set(settings.gateways.flatMap(\.tunnels))
    return settings.tunnels.filter { named.contains($0.name) }.map(\.device)
  }
}

/// Something of nf_tables that our rules are made of, and a text that needs it.
package enum NftProbe: String, Hashable, Sendable, CaseIterable {
  case tables, reject, nat, fib, timeouts, conntrack, mss

  /// For `nft -c -f -`; each part is a table of its own.
  package var text: String {
    let hook: (String, String) -> String = { hook, rules in "chain probe {\ntype filter hook \(hook)\n\(rules)\n}" }
    let marking = "0x00ffffff | 0x01000000"
    let body =
      switch self {
      case .tables:
        hook("prerouting priority filter;", "iifname { \"lo\" } meta mark set meta mark & \(marking)")
      case .reject:
        hook(
          "forward priority filter;",
          "meta l4proto tcp reject with tcp reset\nreject with icmpx type admin-prohibited")
      case .nat: "chain probe {\ntype nat hook postrouting priority srcnat;\noifname \"probe\" masquerade\n}"
      case .fib: hook("prerouting priority filter;", "fib daddr type { local, broadcast } return")
      case .timeouts:
        "set a { type ipv4_addr; flags timeout; }\nset b { type ipv4_addr; flags interval; elements = { 10.0.0.0/8 }; }"
      case .conntrack: hook("prerouting priority filter;", "ct state new ct mark set ct mark & \(marking)")
      case .mss: hook("forward priority mangle;", "tcp flags & (syn | rst) == syn tcp option maxseg size set rt mtu")
      }
    return "table inet adit_probe_\(rawValue) {\n\(body)\n}\n"
  }

  /// OpenWrt's package with that part of the kernel.
  var package: String {
    switch self {
    case .tables, .timeouts, .reject, .conntrack, .mss: "kmod-nft-core"
    case .nat: "kmod-nft-nat"
    case .fib: "kmod-nft-fib"
    }
  }
}
