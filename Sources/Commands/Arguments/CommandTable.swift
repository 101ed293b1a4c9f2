/// An option of the command line.
package struct CommandOption: Sendable {
  package var name: String
  /// What stands for its value in the help; `nil` = it takes none.
  package var value: String?
  package var isRepeatable: Bool
  package var summary: String

  init(_ name: String, _ value: String?, repeatable isRepeatable: Bool = false, _ summary: String) {
    self.name = name
    self.value = value
    self.isRepeatable = isRepeatable
    self.summary = summary
  }

  init(_ name: String, _ summary: String) { self.init(name, nil, summary) }

  var synopsis: String { value.map { "\(name) \($0)" } ?? name }
}

/// A command of `adit`.
package struct Verb: Sendable {
  package var name: String
  /// Its operands as the help prints them.
  package var operands: String
  package var operandCount: ClosedRange<Int>
  package var summary: String
  /// Further sentences of its own help.
  package var details: [String]
  package var options: [CommandOption]

  init(
    _ name: String, _ operands: String, _ operandCount: ClosedRange<Int>, _ summary: String, details: [String] = [],
    options: [CommandOption] = []
  ) {
    self.name = name
    self.operands = operands
    self.operandCount = operandCount
    self.summary = summary
    self.details = details
    self.options = options
  }

  init(_ name: String, _ summary: String, details: [String] = [], options: [CommandOption] = []) {
    self.init(name, "", 0...0, summary, details: details, options: options)
  }
}

/// The one table of commands and options: parsing, usage and help are made from it.
package enum CommandTable {
  package static let common = [
    CommandOption("--config", "PATH", "the configuration: a directory or a file (default /etc/adit)"),
    CommandOption("--state-dir", "DIR", "where the daemon keeps its state (default /run/adit)"),
    CommandOption("--help", "say what the command does"),
  ]

  private static let json = CommandOption("--json", "print JSON")

  package static let verbs = [
    Verb(
      "run", "run the gateway in the foreground",
      details: [
        "SIGTERM ends it cleanly: everything it did to the system is undone. SIGHUP reads the configuration again."
      ],
      options: [CommandOption("--syslog", "log to syslog instead of stderr")]),
    Verb(
      "connect", "PROFILE", 1...1, "bring up one OpenVPN profile in the foreground, without a configuration",
      details: [
        "Ctrl-C undoes everything. With --lan the devices behind it go through the tunnel, and nowhere else while it lasts."
      ],
      options: [
        CommandOption("--auth-user-pass", "FILE", "user name and password, one a line"),
        CommandOption("--lan", "IFACE", repeatable: true, "a LAN device to send through the tunnel"),
        CommandOption("--set", "'OPTION ARGS'", repeatable: true, "an OpenVPN option laid over the profile"),
        CommandOption("--syslog", "log to syslog instead of stderr"),
      ]),
    Verb(
      "check", "[PROFILE]...", 0...64, "say every problem of the configuration, or of profiles, and what they mean",
      details: [
        "Problems are printed as file:line:column: error|warning|note: text.",
        "It exits with 78 when the configuration has errors, with 65 when a profile has.",
      ],
      options: [
        json, CommandOption("--options", "print how every OpenVPN option is treated"),
        CommandOption("--keys", "print every key of the configuration, as docs/CONFIGURATION.md"),
        CommandOption("--errors", "print every error that status may name, as docs/ERRORS.md"),
        CommandOption("--auth-user-pass", "FILE", "the credentials that PROFILE is checked with"),
        CommandOption("--set", "'OPTION ARGS'", repeatable: true, "an OpenVPN option laid over PROFILE"),
      ]),
    Verb(
      "plan", "[NAME]", 0...1, "say what `adit run` would do to the system, and do nothing",
      details: [
        "Links, addresses, routes, rules, sysctls and the nft table, as they are before a server has pushed anything.",
        "With NAME, as if that tunnel and the gateways that use it were all there is.",
      ],
      options: [CommandOption("--diff", "print only what differs from the system as it is: + comes, - goes, ~ changes")]
    ),
    Verb("status", "[NAME]", 0...1, "say how the tunnels are", options: [json]),
    Verb(
      "up", "NAME", 1...1, "start a tunnel",
      details: ["It holds until `adit down`, `adit pause`, `adit resume` or the next boot of the machine."]),
    Verb(
      "down", "NAME", 1...1, "stop a tunnel",
      details: [
        "It holds until `adit up`, `adit resume` or the next boot of the machine. The kill switch stays as it is."
      ]),
    Verb(
      "pause", "NAME", 1...1, "stop a tunnel for a time",
      details: [
        "It holds for the time of --for, else until `adit resume` or `adit up`, at most until the next boot of the machine.",
        "The kill switch stays as it is: a LAN that it closes is refused meanwhile, unless another tunnel takes over.",
      ],
      options: [CommandOption("--for", "TIME", "how long, such as 10m, from a second to a day")]),
    Verb(
      "resume", "NAME", 1...1, "end a pause, an `up` or a `down`: the configuration decides again",
      details: ["That is `enabled`, and `ondemand` sections where there are any."]),
    Verb(
      "reconnect", "NAME", 1...1, "connect a tunnel again",
      options: [CommandOption("--after", "SECONDS", "wait first; 90, 90s and 2m are times")]),
    Verb(
      "use", "NAME REMOTE", 2...2, "connect a tunnel to one of its remotes, and to no other",
      details: [
        "REMOTE is its number, host, host:port or host:port/proto, as `adit status` lists them; `default` ends it, and the",
        "profile's order counts again. It holds until then, or until the next boot of the machine.",
      ]),
    Verb(
      "arm", "close the gateways whose kill switch is `always`, without a daemon",
      details: [
        "What their LANs send is refused from now on, through every crash and stop, until `adit disarm`. For boot, before the",
        "network comes up; `adit run` takes it over. It exits with 78 when no gateway has `kill_switch 'always'`.",
        "It also ends `adit disarm --for` before its time, with or without a daemon.",
      ]),
    Verb(
      "disarm", "open what is armed, for a time, or for good when no daemon runs",
      details: [
        "With --for every armed LAN, and with `scope 'all'` the router, goes out by the WAN, names included, and is closed again",
        "by the kernel when the time is over, be anything of Adit alive or not. Without --for stop the daemon first: while it",
        "runs, the kill switch is its own.",
      ], options: [CommandOption("--for", "TIME", "how long, such as 10m, from a second to a day")]),
    Verb(
      "pass", "[ADDRESS]", 0...1, "let one device of a LAN out by the WAN for a time",
      details: [
        "The kernel ends the pass by itself, running connections included; with or without a daemon. A pass for an ADDRESS that",
        "has one gets the new time. One address is one pass: a device that speaks IPv6 too needs one for each of its addresses.",
        "Without ADDRESS it lists the passes.",
      ],
      options: [
        CommandOption("--via", "wan", "the way it takes; wan is the only one"),
        CommandOption("--for", "TIME", "how long, from a second to a day (default 30m)"),
        CommandOption("--end", "end the pass of ADDRESS now"), json,
      ]),
    Verb(
      "cleanup", "remove everything of ours from the kernel",
      details: [
        "For use after a crash, when no daemon runs: tun devices, addresses, routes, rules, nft table, sysctls, and what",
        "resolvers were told. It opens the LAN, as `adit disarm` does.",
      ]),
    Verb(
      "explain", "ADDRESS|MAC [DESTINATION]", 1...2, "say where a device's packets go, and which key decides",
      details: [
        "The answer comes from the values that the rules are made of, for a first packet to DESTINATION: an address or a host's",
        "name, without one anything on the internet. Without a daemon it says what is armed, and what would be with tunnels up.",
        "Tables of other programs are not looked at; `adit doctor` names those that stand in the way.",
      ],
      options: [
        json, CommandOption("--port", "N", "the port it is meant for (default 443)"),
        CommandOption("--proto", "tcp|udp", "the protocol (default tcp)"),
        CommandOption("--long", "print every rule and route that has a part in it"),
      ]),
    Verb(
      "doctor", "look at all that Adit needs, and say what stands in its way, with the remedy",
      details: [
        "One line each: ok, warning or problem. It changes nothing and sends nothing. It exits with 69 when there is a problem."
      ],
      options: [json]),
    Verb(
      "prove", "[GATEWAY]", 0...1, "try to get out beside the tunnel, as a device of the LAN would",
      details: [
        "A throw-away client in the LAN tries DNS, DNS over TLS, TCP, QUIC, ICMP, large and fragmented packets, by IPv4 and IPv6,",
        "while every way out is listened to. It exits with 0 when nothing left the router in clear, with 1 when something did,",
        "with 69 when it cannot be tried. What a policy sends to the WAN counts as a leak here.",
      ],
      options: [
        CommandOption(
          "--down",
          "try with the tunnels down and the firewall flushed too; both come back, timed passes end"),
        CommandOption(
          "--to", "ADDRESS", repeatable: true, "where to (default 192.0.2.1 and 2001:db8::1, which are nobody's)"),
        CommandOption(
          "--address", "ADDRESS", repeatable: true, "the client's own, in a LAN that is a bridge (default: a free one)"),
        json,
      ]),
    Verb("version", "print the version, OpenSSL's, and what the ciphers do on this CPU", options: [json]),
    Verb("help", "[COMMAND]", 0...1, "explain a command"),
  ]

  package static func verb(named name: String) -> Verb? { verbs.first { $0.name == name } }
}
