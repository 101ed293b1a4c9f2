# A gateway with one network card: its LAN is its way out. Hosts name it as their router; the ISP's box stands in the same net.
lab_up; lab_pki
. Tests/Namespaces/house.sh
count_exits
ip -n "$LAB_GW" link del lan0; ip -n "$LAB_GW" link del wan0
lab_room switch; lab_room lan2
ip -n "$LAB-switch" link add br0 type bridge; ip -n "$LAB-switch" link set br0 up
for host in lan gw isp lan2; do
  lab_wire switch "to-$host" $host home0
  ip -n "$LAB-switch" link set "to-$host" master br0
done
lab_address lan home0 192.168.77.10/24 fd77::10/64; lab_default lan 192.168.77.1 fd77::1
lab_address lan2 home0 192.168.77.20/24 fd77::20/64; lab_default lan2 192.168.77.1 fd77::1
lab_address gw home0 192.168.77.1/24 fd77::1/64; lab_default gw 192.168.77.254 fd77::fe
lab_address isp home0 192.168.77.254/24 fd77::fe/64
strict_filter
# The box hides the house, and forwards two ports to the gateway.
lab_in isp nft -f - <<'NFT'
table ip box {
  chain in {
    type nat hook prerouting priority dstnat;
    ip daddr 192.0.2.1 tcp dport { 22, 8080 } dnat to 192.168.77.1
  }
  chain out {
    type nat hook postrouting priority srcnat;
    ip saddr 192.168.77.0/24 oifname != "home0" masquerade
  }
}
NFT
lab_in gw nft -f - <<'NFT'
table ip forwards {
  chain in {
    type nat hook prerouting priority dstnat;
    ip daddr 192.168.77.1 tcp dport 8080 dnat to 192.168.77.10
  }
}
NFT
# A net behind a host of the house: a next hop on this card may be the way out, and so it counts.
ip -n "$LAB_GW" route add 10.99.0.0/16 via 192.168.77.20
# These two reach each other by the gateway.
ip -n "$LAB_LAN" route add 192.168.77.20 via 192.168.77.1
lab_in lan sysctl -qw net.ipv4.conf.all.accept_redirects=0 net.ipv4.conf.home0.accept_redirects=0
listen gw 22; listen lan 8080
lab_server home "port 1194" "proto udp" "server-ipv6 fd08::/64" 'push "redirect-gateway def1 ipv6"'
profile home "remote 203.0.113.10 1194 udp"
config_tunnel home
gateway() { config_gateway lan "list tunnel 'home'" "list lan 'home0'" "option kill_switch 'session'" "$@"; }
gateway
redirects() { lab_in gw sysctl -n net.ipv4.conf.all.send_redirects net.ipv4.conf.home0.send_redirects | tr '\n' ' '; }
before="$(network_state) $(redirects)"
# What the gateway hands on to the box: the hosts' own packets to it have their MAC. Its kernel may tell the server by ICMP that
# a port of ours is closed.
mac=$(lab_in gw cat /sys/class/net/home0/address)
clear_packets() { lab_capture isp home0 "$LAB_DIR/wan.pcap" "ether src $mac and (icmp[icmptype] == icmp-echo or (icmp6 and ip6[40] >= 128 and ip6[40] <= 129) or dst net 10.99.0.0/16) and not dst net 192.168.77.0/24 and not dst net fd77::/64"; }
clear_packets; leak_control lan
clear_packets
lab_capture lan home0 "$LAB_DIR/redirects.pcap" "icmp[icmptype] == icmp-redirect"
lab_capture lan2 home0 "$LAB_DIR/beside.pcap" "dst net 10.99.0.0/16"
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN leaves by the tunnel" exits_by lan 203.0.113.10
expect "by IPv6 too" lab_in lan ping -c 1 -W 1 -q 2001:db8:80::80
expect "no redirects are sent" test "$(redirects)" = "0 0 "
expect "hosts reach each other by address" lab_in lan ping -c 2 -i 0.2 -W 1 -q 192.168.77.20
refuse "a next hop on this card is not taken" lab_in lan ping -c 1 -W 1 -q 10.99.0.1
inbound() {
  expect "$1: SSH from beyond the box" reaches far 192.0.2.1 22
  expect "$1: a port forward of both" reaches far 192.0.2.1 8080
  expect "$1: SSH from the LAN" reaches lan2 192.168.77.1 22
}
inbound "scope forward"
gateway "option scope 'all'"; adit_reload
# Until then the router goes by the WAN, as it should.
expect_within 3 "scope all" sh -c "ip -n $LAB_GW route get 192.0.2.80 | grep -q tun-home"
expect_within 3 "scope all: the router leaves by the tunnel" exits_by gw 203.0.113.10
inbound "scope all"
expect "home is put down" adit down home
expect_within 3 "it is down" tunnel_is home disconnected
refuse "the LAN is closed" ping_lan 192.0.2.80
refuse "its IPv6 too" ping_lan 2001:db8:80::80
refuse "the router itself too" lab_in gw ping -c 1 -W 1 -q 192.0.2.80
expect "hosts reach each other still" lab_in lan ping -c 1 -W 1 -q 192.168.77.20
inbound "down"
for file in redirects beside; do
  lab_capture_end "$LAB_DIR/$file.pcap"
  expect "nothing of $file was seen" sh -c "[ \$(tcpdump -n -r $LAB_DIR/$file.pcap 2> /dev/null | wc -l) -eq 0 ]"
done
leak_none "one-armed"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state) $(redirects)"
