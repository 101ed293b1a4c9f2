import Base

extension Schema {
  static let globals = Section(
    type: "globals", summary: "What holds for everything.", naming: .single,
    keys: [
      Key(
        "log_level", .word(["error", "warning", "info", "debug", "packet"]), standard: "info",
        "How much is logged."),
      Key("metrics", .endpoint, isActedOn: false, "Where Prometheus may read; off when absent."),
      Key(
        "fwmark_mask", .byteMask, standard: "0xff000000",
        "The byte of the firewall mark that Adit uses; other programs keep the rest."),
      Key(
        "rule_priority", .number(1...32_000), standard: "800",
        "The first priority of Adit's routing rules; a hundred are used."),
      Key(
        "take_over", .word(["openvpn", "network"]), list: true,
        "OpenWrt's own /etc/config/openvpn or /etc/config/network: their OpenVPN sections are read as tunnels."),
      Key(
        "control_group", .text, isActedOn: false, "The group that may use the control socket; root only when absent."),
      Key(
        "bootstrap_dns", .address, list: true,
        "Resolvers for the server's name when the uplink's own are unknown; asked outside the tunnel."),
    ])

  static let tunnel = Section(
    type: "tunnel", summary: "One connection to one OpenVPN service.", naming: .own,
    keys: [
      Key("enabled", .flag, standard: "1", "Whether it starts with the daemon."),
      Key(
        "profile", .file,
        "An OpenVPN profile (.ovpn, .conf). Keys of the section are laid over it. Without it the keys are all there is."
      ),
      Key("device", .device, standard: "tun-NAME", "The name of the tun device."),
      Key(
        "mtu", .number(576...65_535),
        "The MTU of the tun device, whatever profile and server say. Without it what the path takes is measured."),
      Key(
        "unknown_options", .word(["fail", "ignore"]), standard: "fail",
        "What an OpenVPN option that Adit does not know does: a lost option may be a lost protection."),
      Key(
        "clock_policy", .word(["floor", "strict"]), standard: "floor",
        "What certificates are checked against while the clock is unset: the build date, or the clock nevertheless."),
      Key(
        "return_after", .duration, standard: "60s",
        "While a later `remote` serves: how soon an earlier one is tried beside it, and taken once it carries data. Each "
          + "failure doubles the time, up to 15 minutes or this time."),
      Key(
        "offload", .word(["auto", "off", "gso", "mmsg"]), standard: "auto",
        "How far packets travel together between kernel and Adit. auto: merged and many a call, as far as this kernel does "
          + "it well; gso: also where the kernel is known to damage packets so; mmsg: many a call, none merged; off: one by "
          + "one. `adit status` says what is in use."),
      Key("username", .text, "The user name; better a file named by `auth_user_pass`."),
      Key("password", .text, "The password; better a file named by `auth_user_pass`."),
      Key("cert_password", .text, "The password of an encrypted private key; better a file named by `askpass`."),
    ], takesOpenVPNOptions: true)

  static let gateway = Section(
    type: "gateway", summary: "Whose traffic goes through which tunnels, and what happens when none is up.",
    naming: .own,
    keys: [
      Key(
        "tunnel", .tunnel, list: true,
        "The tunnels, in order of preference: the next takes over when one is down, and hands back."),
      Key("lan", .device, list: true, "The LAN devices whose traffic goes through the tunnel."),
      Key(
        "scope", .word(["forward", "all"]), standard: "forward",
        "forward: the LAN's devices; all: the router's own traffic too."),
      Key(
        "kill_switch", .word(["always", "session", "off"]), standard: "always",
        "What the LAN may do while no tunnel is up. always: nothing outside the tunnel from `adit arm` or the first start "
          + "until `adit disarm`, with or without a daemon; session: the same from start to clean stop; off: the ordinary "
          + "way. A value that is none of these is an error and counts as `always`."),
      Key("masquerade", .flag, standard: "1", "Hide the LAN behind the tunnel's address; 0 for site-to-site."),
      Key("mss_clamp", .flag, standard: "1", "Fit the segment size of the LAN's TCP into the tunnel."),
      Key(
        "ipv6", .word(["auto", "block", "bypass"]), standard: "auto",
        "auto: through the tunnel when the server gives IPv6, else refused; block: refused; bypass: the ordinary way."),
      Key(
        "dns", .word(["auto", "hijack", "dnsmasq", "resolved", "resolvconf", "off"]), standard: "auto",
        "How names are resolved. auto: the LAN's port 53 is led to the router's own resolver, and a dnsmasq there asks the "
          + "tunnel's servers; without one the LAN's port 53 goes to the tunnel's server, as with hijack, and names of the "
          + "LAN are unknown there. dnsmasq: as auto. resolved, resolvconf: those are told of the tunnel's servers. off: as "
          + "ever, even past the tunnel. With all but off no query of the LAN or of the router's resolver leaves in clear."
      ),
      Key("block_dot", .flag, standard: "0", "Refuse port 853 of the LAN: DNS over TLS and QUIC."),
      Key(
        "block_doh", .addressList, list: true,
        "Resolvers that speak DNS over HTTPS: port 443 of the LAN to them is refused."),
      Key(
        "inbound", .word(["wan", "block"]), standard: "wan",
        "Connections that begin outside: answered by the uplink they came from, or refused."),
      Key(
        "routes", .word(["all", "pushed"]), standard: "all",
        "all: everything goes through the tunnel; pushed: only what server and profile ask for."),
      Key("exclude", .prefix, list: true, "Destinations that keep the ordinary way."),
    ], reservedNames: ["output", "input", "router", "_router", "policies"])

  static let policy = Section(
    type: "policy",
    summary:
      "An exception for some devices, destinations or ports, whether a gateway names their LAN or not. In order; the first "
      + "that matches decides. What stays in the house and the LAN's own questions to the router are left alone.",
    naming: .own,
    keys: [
      Key("src", .place(.source), list: true, "Who: any of these, and none of the negated ones."),
      Key(
        "dest", .place(.destination), list: true,
        "Where to: any of these, and none of the negated ones. A domain means its subdomains too."),
      Key("proto", .networkProtocol, list: true, "Which protocols."),
      Key("src_port", .ports, list: true, "Source ports; needs `proto`."),
      Key("dest_port", .ports, list: true, "Destination ports; needs `proto`."),
      Key("via", .way, standard: "block", "The way it takes. A policy with an error blocks what it matches."),
      Key(
        "on_down", .word(["block", "wan", "next"]), standard: "block",
        "While that tunnel is down: refuse, the ordinary way, or the next policy."),
    ])

  static let health = Section(
    type: "health", summary: "How a tunnel is probed from the inside; the name is the tunnel's.", naming: .tunnel,
    keys: [
      Key("probe", .address, standard: "the VPN gateway", "Whom to ask."),
      Key(
        "interval", .duration,
        "Ask this often while nothing comes in; when absent, only if packets go out unanswered."),
      Key(
        "fail_after", .number(1...100), standard: "3",
        "Lost answers in a row before the control channel is asked for the last time."),
    ])

  static let onDemand = Section(
    type: "ondemand",
    summary:
      "When tunnels connect by themselves: of the sections that speak of a tunnel the first that fits decides. It fits when "
      + "every key of it does, and a key when one of its values does. docs/RUNTIME.md says more.",
    naming: .free,
    keys: [
      Key(
        "action", .word(["connect", "disconnect", "ignore"]), standard: "connect",
        "What to do; ignore leaves the tunnel as it is. A section with an error counts as `connect`."),
      Key("tunnel", .tunnel, list: true, standard: "all", "Which tunnels."),
      Key("uplink", .devicePattern, list: true, "Fits when the uplink is one of these."),
      Key(
        "kind", .word(Uplink.Kind.allCases.map(\.rawValue)), list: true, "Fits when the uplink is a line of this kind."),
      Key("subnet", .prefix, list: true, "Fits when the uplink has an address in one of these."),
      Key(
        "reachable", .reachTarget, list: true,
        "Fits when one of these answers outside all tunnels: a host an echo, a port a TCP connection."),
    ])
}
