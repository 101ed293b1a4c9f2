extension OptionTable {
  private static let proxy = "a proxy in front of the server is not yet supported"
  private static let ephemeral =
    "Adit sends from a port that the kernel chooses, unless `lport` or `local` asks otherwise"

  static let connection: [OptionEntry] = [OptionEntry]([
    .honoured("client"),
    .honoured("pull"),
    .honoured("tls-client"),
    .honoured("remote", "host [port] [proto]", [.host, .port, .transport], [.connection, .list]),
    .honoured("connection", "", [], [.list]),
    .honoured("proto", "proto", [.transport], .connection),
    .honoured("proto-force", "udp|tcp", [.word(["udp", "tcp"])]),
    .differently("port", "port", [.port], "the server's port only; it never binds ours", .connection),
    .honoured("rport", "port", [.port], .connection),
    .honoured("lport", "port", [.number(0...65_535)], .connection),
    .honoured("local", "address [port] [proto]", [.text, .port, .transport], .connection),
    .harmless("bind", "[ipv6only]", ephemeral, .connection),
    .honoured("nobind", "", [], .connection),
    .honoured("float", "", [], .connection),
    .honoured("remote-random"),
    .honoured("remote-random-hostname"),
    .honoured("resolv-retry", "seconds|infinite", [.text]),
    .harmless("preresolve", "[host]", "names are resolved at every attempt, so that a moved server is found"),
    .harmless("ip-remote-hint", "[address]", "names are resolved at every attempt, so that a moved server is found"),
    .honoured("connect-retry", "seconds [maximum]", [.number(0...65_535), .number(1...65_535)], .connection),
    .honoured("connect-retry-max", "tries", [.text], .connection),
    .honoured("connect-timeout", "seconds", [.number(1...86_400)], .connection),
    .honoured("server-poll-timeout", "seconds", [.number(1...86_400)], .connection),
    .refused("http-proxy", proxy, .connection),
    .refused("socks-proxy", proxy, .connection),
    .refused("http-proxy-override", proxy),
    .refused("http-proxy-user-pass", proxy, .inline),
    .harmless("http-proxy-option", "[option] …", "there is no proxy", .connection),
    .harmless("http-proxy-retry", "[argument] …", "every failure is tried again"),
    .harmless("http-proxy-timeout", "seconds", "`connect-timeout` counts"),
    .harmless("socks-proxy-retry", "", "every failure is tried again"),
    .harmless("mark", "value", "Adit marks its packets itself, so that they keep out of the tunnel"),
    .harmless("bind-dev", "device", "packets to the server follow the router's own routes", push: .yes),
    .harmless("socket-flags", "flag …", "TCP_NODELAY is always on", push: .yes),
    .harmless("tcp-nodelay", "", "TCP_NODELAY is always on"),
    .honoured("rcvbuf", "bytes", [.number(0...(64 << 20))], push: .yes),
    .honoured("sndbuf", "bytes", [.number(0...(64 << 20))], push: .yes),
    .harmless(
      "mtu-disc", "no|maybe|yes", "packets to the server follow the kernel's own path MTU discovery", .connection),
    .harmless("passtos", "", "packets to the server all have the same type of service"),
    .harmless("single-session", "", "a server that comes back gets a new session"),
    .harmless("tls-exit", "", "a failed handshake is tried again"),
    .harmless("persist-local-ip", "", "the local address follows the uplink"),
    .honoured("persist-remote-ip"),
    .harmless("allow-recursive-routing", "", "Adit's own packets never enter the tunnel"),
    .harmless("tcp-queue-limit", "packets", "a server's option"),
    .harmless("multihome", "", "answers always leave where the connection began"),
  ]).under(.connection)

  static let timers: [OptionEntry] = [OptionEntry]([
    .honoured("ping", "seconds", [.number(0...86_400)], push: .yes),
    .honoured("ping-restart", "seconds", [.number(0...86_400)], push: .yes),
    .differently(
      "ping-exit", "seconds", [.number(0...86_400)],
      "reconnects as `ping-restart` does: nobody would start a router again",
      push: .yes),
    .harmless("ping-timer-rem", "", "timers run only with a server", push: .yes),
    .honoured(
      "keepalive", "interval timeout [argument] …", [.number(1...86_400), .number(1...86_400)], push: .yes),
    .differently(
      "inactive", "seconds [bytes]", [.number(0...31_536_000), .number(0...Int.max)], "reconnects instead of ending",
      push: .yes),
    .differently("session-timeout", "seconds", [.seconds], "reconnects instead of ending", push: .yes),
    .honoured("explicit-exit-notify", "[attempts]", [.number(0...100)], push: .yes, .connection),
    .honoured("hand-window", "seconds", [.number(1...86_400)]),
    .honoured("tran-window", "seconds", [.number(1...86_400)]),
    .honoured("reneg-sec", "seconds [minimum]", [.seconds, .seconds]),
    .honoured("reneg-bytes", "bytes", [.number(0...Int.max)]),
    .honoured("reneg-pkts", "packets", [.number(0...Int.max)]),
    .honoured("tls-timeout", "seconds", [.number(1...3_600)]),
    .harmless("shaper", "rate", "the router's own queues shape traffic", push: .yes),
  ]).under(.timers)
}
