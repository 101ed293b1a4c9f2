extension OptionTable {
  private static let mtu = "`tun-mtu` and `mssfix` set the sizes"

  static let tunnel: [OptionEntry] = [OptionEntry]([
    .honoured("dev", "tun|name", [.text]),
    .honoured("dev-type", "tun", [.word(["tun", "tap"])]),
    .harmless("dev-node", "path", "the tun device is /dev/net/tun"),
    .honoured("topology", "subnet|net30|p2p", [.word(["subnet", "net30", "p2p"])], push: .yes),
    .honoured("ifconfig", "address netmask|peer", [.ipv4, .ipv4], push: .yes),
    .honoured("ifconfig-ipv6", "address/bits [peer]", [.text], push: .yes),
    .harmless("ifconfig-noexec", "", "Adit sets the addresses itself", push: .yes),
    .harmless("ifconfig-nowarn", "", "nothing to warn about", push: .yes),
    .harmless("tun-ipv6", "", "IPv6 is always possible", push: .yes),
    .harmless("tun-ipv4", "", "IPv4 is always possible"),
    .harmless("lladdr", "address", "a tun device has no hardware address", push: .yes),
    .honoured("tun-mtu", "bytes", [.number(100...65_535)], push: .yes, .connection),
    .honoured("tun-mtu-max", "bytes", [.number(100...65_535)], .connection),
    .harmless("tun-mtu-extra", "bytes", mtu, .connection),
    .harmless("link-mtu", "bytes", mtu, .connection),
    .harmless("udp-mtu", "bytes", mtu),
    .harmless("occ-mtu", "bytes", mtu),
    .honoured("max-packet-size", "bytes", [.number(154...2_048)], .connection),
    .honoured("mssfix", "[bytes] [mtu|fixed]", [.number(0...65_535), .word(["mtu", "fixed"])], .connection),
    .refused(
      "fragment", "not yet supported; every packet of such a server has a header more, so it cannot be left out",
      .connection),
    .refused("mtu-dynamic", "the old name of `fragment`, which is not yet supported"),
    .harmless("mtu-test", "", mtu),
    .honoured("txqueuelen", "packets", [.number(0...1_000_000)]),
    .harmless("persist-tun", "", "the tun device always stays over reconnects", push: .yes),
    .harmless("persist-key", "", "keys are always kept in memory", push: .yes),
    .harmless("disable-dco", "", "Adit has no kernel offload", push: .yes),
  ]).under(.tunnel)

  static let network: [OptionEntry] = [OptionEntry]([
    .honoured("route", "network [netmask] [gateway] [metric]", [.text], push: .unlessNoPull, .list),
    .honoured("route-ipv6", "network/bits [gateway] [metric]", [.text], push: .unlessNoPull, .list),
    .honoured("route-gateway", "address|dhcp", [.text], push: .yes),
    .honoured("route-ipv6-gateway", "address", [.text], push: .yes),
    .honoured("route-metric", "metric", [.number(0...Int(UInt32.max))], push: .unlessNoPull),
    .harmless("route-delay", "[seconds] [window]", "routes are set before the tunnel counts as up", push: .yes),
    .warned("route-table", "id", "Adit keeps its routes in tables of its own"),
    .honoured("route-noexec"),
    .honoured("route-nopull"),
    .honoured("pull-filter", "accept|ignore|reject text", [.word(["accept", "ignore", "reject"]), .text], .list),
    .harmless("max-routes", "number", "there is no such limit", push: .yes),
    .harmless("allow-pull-fqdn", "", "a pushed route with a host name is left out"),
    .honoured("redirect-gateway", "[flag] …", push: .unlessNoPull, .list),
    .honoured("redirect-private", "[flag] …", push: .unlessNoPull, .list),
    .honoured("block-ipv6", "", [], push: .unlessNoPull),
    .refused("client-nat", "rewriting addresses inside the tunnel is not yet supported"),
    .honoured("dns", "argument …", [.text], push: .unlessNoPull, .list),
    .honoured("dhcp-option", "type [value] …", [.text], push: .unlessNoPull, .list),
    .warned("dns-updown", "[argument] …", "Adit sets the resolver itself: `option dns` of a gateway section"),
    .differently(
      "block-outside-dns", "", [], "the gateway's `option dns` keeps lookups inside the tunnel", push: .unlessNoPull),
  ]).under(.network)
}
