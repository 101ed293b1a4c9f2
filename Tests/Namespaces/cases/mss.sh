# G-10: SYN and SYN-ACK are clamped both ways, IPv4 and IPv6, to the tunnel's MTU and to that of a narrow WAN; too big is said.
lab_up; lab_pki
. Tests/Namespaces/house.sh
lab_server home "port 1194" "proto udp" "server-ipv6 fd08::/64" "tun-mtu 1400" 'push "redirect-gateway def1 ipv6"'
profile home "remote 203.0.113.10 1194 udp" "tun-mtu 1400"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
# PPPoE leaves 1492 bytes; the house hides its hosts.
ip -n "$LAB_GW" link set wan0 mtu 1492
house_nat inet
listen far 5201; listen lan 6881
lab_in server nft -f - <<'NFT'
table inet forwards {
  chain in {
    type nat hook prerouting priority dstnat;
    iifname "eth0" tcp dport 6881 dnat ip to 10.8.0.2
  }
}
NFT
lab_in gw nft -f - <<'NFT'
table ip forwards {
  chain in {
    type nat hook prerouting priority dstnat;
    tcp dport 6881 dnat to 192.168.77.10
  }
}
NFT
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
both() { lab_capture lan eth0 "$LAB_DIR/lan.pcap" "tcp or ip6 proto 6"; lab_capture far eth0 "$LAB_DIR/far.pcap" "tcp or ip6 proto 6"; }
both_end() { lab_capture_end "$LAB_DIR/lan.pcap"; lab_capture_end "$LAB_DIR/far.pcap"; }
# sizes WHERE FLAGS: every MSS there, sorted.
sizes() { tcpdump -n -r "$LAB_DIR/$1.pcap" "${3:-ip or ip6}" 2> /dev/null | grep -F "Flags [$2]," | grep -oE 'mss [0-9]+' | sort -u | tr '\n' ' '; }
seen() { # WHEN SIZE
  expect "$1: the SYN arrives with $2" test "$(sizes "${3:-far}" S)" = "mss $2 "
  expect "$1: and so does the SYN-ACK" test "$(sizes "${4:-lan}" S.)" = "mss $2 "
}
both; expect "IPv4 into the tunnel" reaches lan 192.0.2.80 5201; both_end
seen "IPv4" 1360
both; expect "IPv6 into the tunnel" reaches lan 2001:db8:80::80 5201; both_end
seen "IPv6" 1340
both; expect "from the tunnel to a host of the LAN" reaches far 203.0.113.10 6881; both_end
seen "from the tunnel" 1360 lan far
expect "too big for the tunnel is said at once" sh -c "ip netns exec $LAB_LAN ping -c 1 -W 1 -M do -s 1400 192.0.2.80 2>&1 | grep -qE 'mtu ?= ?1400'"
expect "over IPv6 too" sh -c "ip netns exec $LAB_LAN ping -c 1 -W 1 -M do -s 1400 2001:db8:80::80 2>&1 | grep -qE 'mtu ?= ?1400'"
expect "what fits passes" lab_in lan ping -c 1 -W 1 -q -M do -s 1372 192.0.2.80
# A device that may go out by the narrow WAN. It has learned of the narrower tunnel above.
ip -n "$LAB_LAN" route flush cache; ip -n "$LAB_LAN" -6 route flush cache; ip -n "$LAB_LAN" tcp_metrics flush
config_section policy direct "list src '192.168.77.10'" "list src 'fd77::10'" "option via 'wan'"
adit_reload
expect_within 3 "a policy sends this host by the WAN" sh -c "ip netns exec $LAB_GW nft list table inet adit | grep -q 192.168.77.10"
both; expect "IPv4 by the WAN" reaches lan 192.0.2.80 5201; both_end
seen "IPv4 by the WAN" 1452
both; expect "IPv6 by the WAN" reaches lan 2001:db8:80::80 5201; both_end
seen "IPv6 by the WAN" 1432
both; expect "from beyond the WAN to a host of the LAN" reaches far 198.51.100.2 6881; both_end
seen "from beyond the WAN" 1452 lan far
ip -n "$LAB_GW" link set wan0 mtu 1400
clamps() { both; reaches lan 2001:db8:80::80 5201; both_end; [ "$(sizes far S)" = "mss 1340 " ]; }
expect_within 3 "another MTU of the WAN counts from then on" clamps
expect "stops in time" adit_stop
# Without a gateway it is the router's own connections that a profile cuts: its SYN, and its answer to one of outside.
rm "$LAB_DIR/config/gateway-lan" "$LAB_DIR/config/policy-direct"
ip -n "$LAB_GW" link set wan0 mtu 1500
profile home "remote 203.0.113.10 1194 udp" "tun-mtu 1400" "mssfix 1300 fixed"
listen gw 6881
adit_run
expect_within 10 "connected with mssfix, without a gateway" adit_connected
both; expect "the router's own, into the tunnel" reaches gw 192.0.2.80 5201; both_end
expect "the router's SYN arrives with 1260" test "$(sizes far S)" = "mss 1260 "
lab_in gw nft delete table ip forwards
both; expect "from the tunnel to the router" reaches far 203.0.113.10 6881; both_end
expect "and its SYN-ACK" test "$(sizes far S.)" = "mss 1260 "
expect "stops again in time" adit_stop
