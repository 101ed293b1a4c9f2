# Who comes in by the WAN is answered there, who comes in by the tunnel is answered into it, and `inbound block` lets nobody begin.
lab_up; lab_pki
. Tests/Namespaces/house.sh
strict_filter
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
profile home "remote 203.0.113.10 1194 udp"
config_tunnel home
gateway() { config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'" "$@"; }
gateway
listen gw 22; listen lan 8080; listen lan 6881; listen far 443
# Port forwards of the house: one from the WAN, one from the tunnel; and the provider's own, without hiding who calls.
lab_in gw nft -f - <<'NFT'
table ip forwards {
  chain in {
    type nat hook prerouting priority dstnat;
    iifname "wan0" tcp dport 8080 dnat to 192.168.77.10
    iifname "tun-home" tcp dport { 443, 6881 } dnat to 192.168.77.10:6881
  }
}
NFT
lab_in server nft -f - <<'NFT'
table ip forwards {
  chain in {
    type nat hook prerouting priority dstnat;
    iifname "eth0" tcp dport 6881 dnat to 10.8.0.2
  }
}
NFT
before=$(network_state)
# Nothing may begin inside and leave by the WAN; SYN-ACKs of forwarded ports do.
leak_watch "(host 192.0.2.80 or net 192.168.0.0/16) and (icmp or (tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn and not src host 192.0.2.80) or port 6881)"; leak_control lan
leak_watch "(host 192.0.2.80 or net 192.168.0.0/16) and (icmp or (tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn and not src host 192.0.2.80) or port 6881)"
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
forwards() { # WHEN
  expect "$1: SSH to the router" reaches far 198.51.100.2 22
  expect "$1: the port forward to the LAN" reaches far 198.51.100.2 8080
  lab_capture lan eth0 "$LAB_DIR/caller.pcap" "tcp port 6881"
  expect "$1: G-13: the port forward through the tunnel" reaches far 203.0.113.10 6881
  lab_capture_end "$LAB_DIR/caller.pcap"
  expect "$1: the LAN sees who calls" sh -c "tcpdump -n -r $LAB_DIR/caller.pcap 2> /dev/null | grep -q '192.0.2.80'"
  expect "$1: G-15: the LAN's own way to a forwarded port is not translated" reaches lan 192.0.2.80 443
}
forwards "scope forward"
gateway "option scope 'all'"; adit_reload
expect_within 3 "scope all: the router takes the tunnel" sh -c "ip -n $LAB_GW route get 192.0.2.81 | grep -q tun-home"
forwards "scope all"
gateway "option routes 'pushed'" "option kill_switch 'off'"; sed -i "s/redirect-gateway def1/route 10.77.0.0 255.255.0.0/" "$LAB_DIR/server-home.conf"
lab_server_stop home; lab_in server openvpn --config "$LAB_DIR/server-home.conf" & LAB_PIDS+=($!); disown
adit_reload; wait_for 5 grep -q 'Initialization Sequence Completed' "$LAB_DIR/server-home.log"; adit reconnect home
expect_within 10 "the tunnel is not the default any more" sh -c "ip -n $LAB_GW route get 192.0.2.80 from 192.168.77.10 iif lan0 | grep -q wan0"
expect_within 5 "G-13: its port forward is answered into it all the same" reaches far 203.0.113.10 6881
gateway "option inbound 'block'" "option scope 'all'"; adit_reload
expect_within 3 "inbound block: SSH is refused at once" refused far 198.51.100.2 22
expect "the port forward of the WAN too" refused far 198.51.100.2 8080
expect_within 5 "the one of the tunnel is not" reaches far 203.0.113.10 6881
expect "SSH from the LAN is not" reaches lan 192.168.77.1 22
leak_none "inbound"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
