import Base
import Commands
import Control
import Testing

@Suite("The command line") struct CommandLineTests {
  private func parse(_ line: String) throws -> Command {
    try CommandLineParser.parse(line.split(separator: " ").map(String.init)).get()
  }

  private func problem(_ line: String) -> String? {
    guard case .failure(let error) = CommandLineParser.parse(line.split(separator: " ").map(String.init)) else {
      return nil
    }
    return error.description
  }

  @Test("each command with its options")
  func commands() throws {
    #expect(try parse("run") == .run(DaemonOptions()))
    #expect(
      try parse("run --config /c --state-dir=/s --syslog")
        == .run(DaemonOptions(configPath: "/c", stateDirectory: "/s", usesSyslog: true)))
    let connect = ConnectRequest(
      profilePath: "p.ovpn", credentialsPath: "auth", lan: ["br-lan", "br-iot"], options: ["verb=4"])
    #expect(
      try parse("connect --lan br-lan p.ovpn --lan br-iot --set verb=4 --auth-user-pass auth")
        == .run(DaemonOptions(connect: connect)))
    #expect(try parse("plan") == .plan(PlanRequest()))
    #expect(
      try parse("plan home --diff --config /c --state-dir /s")
        == .plan(PlanRequest(configPath: "/c", stateDirectory: "/s", tunnel: "home", asDifference: true)))
    #expect(try parse("status") == .status(tunnel: nil, asJSON: false, stateDirectory: "/run/adit"))
    #expect(
      try parse("status home --json --state-dir /s") == .status(tunnel: "home", asJSON: true, stateDirectory: "/s"))
    #expect(try parse("--state-dir /s up home") == .tell(.up(tunnel: "home"), stateDirectory: "/s"))
    #expect(try parse("down home") == .tell(.down(tunnel: "home"), stateDirectory: "/run/adit"))
    #expect(
      try parse("reconnect home --after 2m")
        == .tell(.reconnect(tunnel: "home", after: .seconds(120)), stateDirectory: "/run/adit"))
    #expect(
      try parse("reconnect home --after 0")
        == .tell(.reconnect(tunnel: "home", after: .zero), stateDirectory: "/run/adit"))
    #expect(
      try parse("pause home --for 10m")
        == .tell(.pause(tunnel: "home", span: .seconds(600)), stateDirectory: "/run/adit"))
    #expect(try parse("pause home") == .tell(.pause(tunnel: "home", span: nil), stateDirectory: "/run/adit"))
    #expect(try parse("resume home") == .tell(.resume(tunnel: "home"), stateDirectory: "/run/adit"))
    #expect(
      try parse("use home [2001:db8::1]:443")
        == .tell(.use(tunnel: "home", remote: "[2001:db8::1]:443"), stateDirectory: "/run/adit"))
    #expect(try parse("arm --config /c --state-dir /s") == .arm(configPath: "/c", stateDirectory: "/s"))
    #expect(try parse("disarm") == .disarm(span: nil, configPath: nil, stateDirectory: "/run/adit"))
    #expect(
      try parse("disarm --for 10m") == .disarm(span: .seconds(600), configPath: nil, stateDirectory: "/run/adit"))
    let (device, device6) = (try #require(IPAddress("192.168.1.50")), try #require(IPAddress("fd00::5")))
    #expect(try parse("pass") == .pass(PassRequest()))
    #expect(try parse("pass --json") == .pass(PassRequest(asJSON: true)))
    #expect(try parse("pass 192.168.1.50 --via wan") == .pass(PassRequest(.begin(device, .seconds(1_800)))))
    #expect(try parse("pass fd00::5 --for 90s") == .pass(PassRequest(.begin(device6, .seconds(90)))))
    #expect(try parse("pass --end 192.168.1.50") == .pass(PassRequest(.end(device))))
    #expect(try parse("cleanup") == .cleanup(configPath: nil, stateDirectory: "/run/adit"))
    let question = ExplainQuestion(source: "192.168.1.40", destination: "example.org", transport: "udp", port: 53)
    #expect(
      try parse("explain 192.168.1.40 example.org --port 53 --proto udp --json --long --config /c --state-dir /s")
        == .explain(
          ExplainRequest(configPath: "/c", stateDirectory: "/s", question: question, asJSON: true, isLong: true)))
    #expect(try parse("explain x") == .explain(ExplainRequest(question: ExplainQuestion(source: "x"))))
    #expect(
      try parse("doctor --json --config /c --state-dir /s")
        == .doctor(configPath: "/c", stateDirectory: "/s", asJSON: true))
    var prove = ProveRequest(configPath: "/c", stateDirectory: "/run/adit")
    prove.gateway = "lan"
    prove.putsDown = true
    prove.destinations = [try #require(IPAddress("9.9.9.9")), try #require(IPAddress("2620:fe::fe"))]
    prove.addresses = [try #require(IPAddress("192.168.1.9"))]
    #expect(
      try parse("prove lan --down --to 9.9.9.9 --to 2620:fe::fe --address 192.168.1.9 --config /c") == .prove(prove))
    #expect(try parse("version --json") == .version(asJSON: true))
    #expect(try parse("--version") == .version(asJSON: false))
    var check = CheckRequest()
    check.profiles = ["-a.ovpn", "b.ovpn"]
    check.asJSON = true
    #expect(try parse("check --json -- -a.ovpn b.ovpn") == .check(check))
  }

  @Test(
    "every command has --help, and every option of every command is known", arguments: CommandTable.verbs.map(\.name))
  func help(verb: String) throws {
    #expect(try parse("\(verb) --help") == .help(verb: verb))
    #expect(try parse("help \(verb)") == .help(verb: verb))
    for option in try #require(CommandTable.verb(named: verb)).options {
      #expect(problem("\(verb) \(option.name)\(option.value == nil ? "" : "=x") --help") == nil)
    }
  }

  @Test(
    "what cannot be meant is said in one sentence with the nearest name",
    arguments: [
      ("", "adit: a command is missing\ntry `adit --help`\n"),
      ("statsu", "adit: unknown command `statsu`; did you mean `status`?\ntry `adit --help`\n"),
      ("status --jsno", "adit: unknown option `--jsno`; did you mean `--json`?\ntry `adit status --help`\n"),
      ("up", "adit: NAME is missing\ntry `adit up --help`\n"),
      ("plan a b", "adit: too many words: `b`\ntry `adit plan --help`\n"),
      ("up a b", "adit: too many words: `b`\ntry `adit up --help`\n"),
      ("run --config", "adit: `--config` needs a value: PATH\ntry `adit run --help`\n"),
      (
        "disarm --for --state-dir /run/adit",
        "adit: `--for` needs a value: TIME\ntry `adit disarm --help`\n"
      ),
      ("run --config=a --config=b", "adit: `--config` is given twice\ntry `adit run --help`\n"),
      ("status --json=1", "adit: `--json` takes no value\ntry `adit status --help`\n"),
      (
        "reconnect a --after soon",
        "adit: `--after` must be a time such as 90, 90s or 2m, at most a day\ntry `adit reconnect --help`\n"
      ),
      (
        "pause a --for 2d",
        "adit: `--for` must be a time such as 90s, 30m or 2h, from a second to a day\ntry `adit pause --help`\n"
      ),
      ("use a", "adit: NAME REMOTE is missing\ntry `adit use --help`\n"),
      ("connect p --lan br/lan", "adit: `br/lan` is no device name\ntry `adit connect --help`\n"),
      ("explain x --proto icmp", "adit: `--proto` is tcp or udp\ntry `adit explain --help`\n"),
      ("explain x --port 0", "adit: `--port` must be a number from 1 to 65535\ntry `adit explain --help`\n"),
      ("check --set verb", "adit: `--set` goes with a PROFILE\ntry `adit check --help`\n"),
      ("prove --to 9.9.9", "adit: `9.9.9` is no address\ntry `adit prove --help`\n"),
      (
        "prove --to 9.9.9.9 --to 1.1.1.1",
        "adit: `--to` is given twice for one family\ntry `adit prove --help`\n"
      ),
      ("pass tv", "adit: `tv` is no IPv4 or IPv6 address; a pass is for one address\ntry `adit pass --help`\n"),
      ("pass --end", "adit: `--end` goes with an ADDRESS\ntry `adit pass --help`\n"),
      (
        "pass 192.0.2.1 --via home",
        "adit: a pass goes by `wan` alone; a `policy` section sends a device into a tunnel\ntry `adit pass --help`\n"
      ),
      (
        "pass 192.0.2.1 --for 25h",
        "adit: `--for` must be a time such as 90s, 30m or 2h, from a second to a day\ntry `adit pass --help`\n"
      ),
      (
        "disarm --for 999ms",
        "adit: `--for` must be a time such as 90s, 30m or 2h, from a second to a day\ntry `adit disarm --help`\n"
      ),
      ("help runn", "adit: unknown command `runn`; did you mean `run`?\ntry `adit help --help`\n"),
    ])
  func problems(line: String, text: String) { #expect(problem(line) == text) }

  @Test("the whole overview")
  func overview() {
    #expect(
      HelpText.overview == """
        usage: adit COMMAND [OPTION]...

        An OpenVPN gateway for home routers.

        commands:
          run                                run the gateway in the foreground
          connect PROFILE                    bring up one OpenVPN profile in the foreground, without a configuration
          check [PROFILE]...                 say every problem of the configuration, or of profiles, and what they mean
          plan [NAME]                        say what `adit run` would do to the system, and do nothing
          status [NAME]                      say how the tunnels are
          up NAME                            start a tunnel
          down NAME                          stop a tunnel
          pause NAME                         stop a tunnel for a time
          resume NAME                        end a pause, an `up` or a `down`: the configuration decides again
          reconnect NAME                     connect a tunnel again
          use NAME REMOTE                    connect a tunnel to one of its remotes, and to no other
          arm                                close the gateways whose kill switch is `always`, without a daemon
          disarm                             open what is armed, for a time, or for good when no daemon runs
          pass [ADDRESS]                     let one device of a LAN out by the WAN for a time
          cleanup                            remove everything of ours from the kernel
          explain ADDRESS|MAC [DESTINATION]  say where a device's packets go, and which key decides
          doctor                             look at all that Adit needs, and say what stands in its way, with the remedy
          prove [GATEWAY]                    try to get out beside the tunnel, as a device of the LAN would
          version                            print the version, OpenSSL's, and what the ciphers do on this CPU
          help [COMMAND]                     explain a command

        options of every command:
          --config PATH    the configuration: a directory or a file (default /etc/adit)
          --state-dir DIR  where the daemon keeps its state (default /run/adit)
          --help           say what the command does

        `adit COMMAND --help` says more. Exit codes: 0 ok, 64 usage, 65 bad input, 69 not available, 77 no permission,
        78 bad configuration, 1 anything else.

        """)
  }

  @Test("the whole help of one command")
  func oneCommand() throws {
    #expect(
      HelpText.of(try #require(CommandTable.verb(named: "check"))) == """
        usage: adit check [--json] [--options] [--keys] [--errors] [--auth-user-pass FILE] [--set 'OPTION ARGS']... [PROFILE]...

        Say every problem of the configuration, or of profiles, and what they mean.

        Problems are printed as file:line:column: error|warning|note: text.
        It exits with 78 when the configuration has errors, with 65 when a profile has.

        options:
          --json                 print JSON
          --options              print how every OpenVPN option is treated
          --keys                 print every key of the configuration, as docs/CONFIGURATION.md
          --errors               print every error that status may name, as docs/ERRORS.md
          --auth-user-pass FILE  the credentials that PROFILE is checked with
          --set 'OPTION ARGS'    an OpenVPN option laid over PROFILE
          --config PATH          the configuration: a directory or a file (default /etc/adit)
          --state-dir DIR        where the daemon keeps its state (default /run/adit)
          --help                 say what the command does

        """)
  }

  @Test("the whole help of plan")
  func plan() throws {
    #expect(
      HelpText.of(try #require(CommandTable.verb(named: "plan"))) == """
        usage: adit plan [--diff] [NAME]

        Say what `adit run` would do to the system, and do nothing.

        Links, addresses, routes, rules, sysctls and the nft table, as they are before a server has pushed anything.
        With NAME, as if that tunnel and the gateways that use it were all there is.

        options:
          --diff           print only what differs from the system as it is: + comes, - goes, ~ changes
          --config PATH    the configuration: a directory or a file (default /etc/adit)
          --state-dir DIR  where the daemon keeps its state (default /run/adit)
          --help           say what the command does

        """)
  }

  @Test("the whole help of arm")
  func arm() throws {
    #expect(
      HelpText.of(try #require(CommandTable.verb(named: "arm"))) == """
        usage: adit arm

        Close the gateways whose kill switch is `always`, without a daemon.

        What their LANs send is refused from now on, through every crash and stop, until `adit disarm`. For boot, before the
        network comes up; `adit run` takes it over. It exits with 78 when no gateway has `kill_switch 'always'`.
        It also ends `adit disarm --for` before its time, with or without a daemon.

        options:
          --config PATH    the configuration: a directory or a file (default /etc/adit)
          --state-dir DIR  where the daemon keeps its state (default /run/adit)
          --help           say what the command does

        """)
  }

  @Test("no line of help is wider than a terminal of 120 columns")
  func width() {
    for text in [HelpText.overview] + CommandTable.verbs.map(HelpText.of) {
      for line in text.split(separator: "\n") { #expect(line.count <= 120) }
    }
  }
}

@Suite("Exit codes and output") struct OutputTests {
  @Test("a refusal of the daemon has its exit code")
  func refusals() {
    #expect(
      Reply.Refusal.Code.allCases.map { StatusCommand.exitCode(of: $0) } == [
        .failure, .badInput, .badInput, .badConfiguration, .noPermission, .unavailable, .unavailable, .badInput,
      ])
  }

  @Test("no daemon is exit code 69")
  func notRunning() {
    guard case .failure(let failure) = ControlClient.ask(.status(tunnel: nil), stateDirectory: "/nonexistent/adit")
    else {
      Issue.record("somebody answered")
      return
    }
    #expect(failure.exitCode == .unavailable)
    #expect(failure.text == "no daemon answers at /nonexistent/adit/control.sock: is `adit run` running?")
  }

  @Test("the version names OpenSSL and lists the ciphers")
  func version() {
    let speeds = [VersionCommand.Speed(cipher: "AES-256-GCM", megabytesPerSecond: 900)]
    let text = VersionCommand.text(speeds)
    #expect(text.hasPrefix("adit \(Version.text)\nOpenSSL ") && text.contains("  AES-256-GCM  900 MB/s\n"))
    #expect(VersionCommand.json(speeds)["ciphers"]?.elements?.first?["name"]?.text == "AES-256-GCM")
  }
}
