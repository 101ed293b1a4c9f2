# Policies of the router itself (scope all), and of a device behind a gateway with one network card.
lab_up; lab_pki
. Tests/Namespaces/house.sh
strict_filter
count_exits
lab_server home "port 1194" "proto udp" "server-ipv6 fd08::/64" 'push "redirect-gateway def1 ipv6"'
profile home "remote 203.0.113.10 1194 udp"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option scope 'all'" "option kill_switch 'session'"
for last in 82 83 84; do lab_address far eth0 "192.0.2.$last/24" "2001:db8:80::$last/64"; done
policy() { local name=$1; shift; printf "config policy '%s'\n" "$name"; printf '\t%s\n' "$@"; }
{
  policy outside "list dest '192.0.2.82'" "list dest '2001:db8:80::82'" "option via 'wan'"
  policy never "list dest '192.0.2.83'" "list dest '2001:db8:80::83'" "option via 'block'"
  policy everything "option via 'block'" "list proto 'tcp'" "list dest_port '25'"
} > "$LAB_DIR/config/policies"
lab_in gw nft -f - <<'NFT'
table inet house {
  chain out {
    type nat hook postrouting priority srcnat;
    oifname "wan0" iifname "lan0" masquerade
  }
}
NFT
lab_in gw sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0
listen far 25
before=$(network_state)
adit_run
expect_within 10 "home is up" tunnel_is home connected
expect_within 3 "the router leaves by the tunnel" exits_by gw 203.0.113.10
leak_watch host 192.0.2.83 or host 2001:db8:80::83 or net 10.8.0.0/24 or net fd08::/64 or host 192.0.2.84
expect_within 3 "by policy to the WAN, under the WAN's own address" exits_by gw 198.51.100.2 192.0.2.82
expect "over IPv6 too" lab_in gw ping -c 1 -W 1 -q 2001:db8:80::82
expect "a TCP connection too" refused gw 192.0.2.82 8099
expect "the LAN by the same policy" exits_by lan 198.51.100.2 192.0.2.82
refuse "block: nothing leaves" lab_in gw ping -c 1 -W 1 -q 192.0.2.83
refuse "block: nothing over IPv6" lab_in gw ping -c 1 -W 1 -q 2001:db8:80::83
expect "block: the router is told at once" refused gw 192.0.2.83 80
expect "block by port: at once, into the tunnel's way too" refused gw 192.0.2.80 25
expect "by another port it goes there" exits_by gw 203.0.113.10 192.0.2.84
expect "the router and its LAN speak as ever" lab_in gw ping -c 1 -W 1 -q 192.168.77.10
expect "a policy without a source asks nothing of the transport" tunnel_is home connected
leak_none "the router's policies"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
