# Scope all: the router's own packets take the tunnel too, its transport does not, and who comes in by the WAN is answered there.
lab_up; lab_pki; lab_second_server
. Tests/Namespaces/house.sh
strict_filter
count_exits
lab_server home "port 1194" "proto udp" "server-ipv6 fd08::/64" 'push "redirect-gateway def1 ipv6"'
LAB_AT=server2 lab_server backup "port 1194" "proto udp" "server-ipv6 fd08::/64" 'push "redirect-gateway def1 ipv6"'
profile home "remote 203.0.113.10 1194 udp"; profile backup "remote 203.0.114.10 1194 udp"
config_tunnel home; config_tunnel backup
config_gateway lan "list tunnel 'home'" "list tunnel 'backup'" "list lan 'lan0'" "option scope 'all'" "option kill_switch 'session'"
# The far host calls by its first address and is called by another: what goes to that one belongs into the tunnel.
ip -n "$LAB_FAR" address add 192.0.2.81/24 dev eth0
ip -n "$LAB_FAR" address add 2001:db8:80::81/64 dev eth0 nodad preferred_lft 0
listen gw 22; listen lan 8080
lab_in gw nft -f - <<'NFT'
table ip forwards {
  chain in {
    type nat hook prerouting priority dstnat;
    iifname "wan0" tcp dport 8080 dnat to 192.168.77.10
  }
}
NFT
before=$(network_state)
inbound() { # WHEN
  # The provider's box has forgotten who we are, and asks.
  ip -n "$LAB_ISP" neigh flush dev gw0
  expect "$1: SSH from beyond the WAN is answered" reaches far 198.51.100.2 22
  expect "$1: over IPv6 too" reaches far 2001:db8:100::2 22
  expect "$1: a port forward to the LAN too" reaches far 198.51.100.2 8080
  expect "$1: a ping of the WAN address too" lab_in far ping -c 1 -W 1 -q 198.51.100.2
  expect "$1: SSH from the LAN" reaches lan 192.168.77.1 22
  expect "$1: the router reaches its LAN" lab_in gw ping -c 1 -W 1 -q 192.168.77.10
}
leak_watch "host 192.0.2.81 or host 2001:db8:80::81"; leak_control gw 192.0.2.81
leak_watch "host 192.0.2.81 or host 2001:db8:80::81"
adit_run
expect_within 10 "home is up" tunnel_is home connected
expect_within 10 "backup is up" tunnel_is backup connected
# On a slow machine the other may have come first.
expect_within 9 "home serves" active_is lan home
expect_within 3 "the router leaves by home" exits_by gw 203.0.113.10 192.0.2.81
expect "and its IPv6 by the tunnel" lab_in gw ping -c 1 -W 1 -q 2001:db8:80::81
expect "the LAN by home" exits_by lan 203.0.113.10 192.0.2.81
inbound up
expect "home is put down" adit down home
expect_within 4 "the router leaves by backup" exits_by gw 203.0.114.10 192.0.2.81
expect_within 2 "the LAN by backup" exits_by lan 203.0.114.10 192.0.2.81
expect "backup is put down" adit down backup
expect_within 3 "it is down" tunnel_is backup disconnected
refuse "the router itself is refused" lab_in gw ping -c 1 -W 1 -q 192.0.2.81
refuse "over IPv6" lab_in gw ping -c 1 -W 1 -q 2001:db8:80::81
expect "at once" refused gw 192.0.2.81 80
refuse "the LAN is closed" lab_in lan ping -c 1 -W 1 -q 192.0.2.81
inbound down
expect "up: home" adit up home
expect_within 10 "its transport goes outside all the same" tunnel_is home connected
expect_within 3 "the router leaves by home again" exits_by gw 203.0.113.10 192.0.2.81
leak_none "scope all"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
