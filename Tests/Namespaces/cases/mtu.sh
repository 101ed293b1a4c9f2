# C-7: what the path takes is measured inside the tunnel; the tun's MTU and the clamp follow, with ICMP and without.
lab_up; lab_pki
. Tests/Namespaces/house.sh
lab_second_uplink
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_server stream "port 1195" "proto tcp-server" "server 10.9.0.0 255.255.255.0" 'push "redirect-gateway def1"'
profile home "remote 203.0.113.10 1194 udp"
profile stream "remote 203.0.113.10 1195 tcp"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
listen far 5201
# narrow BYTES: of the link between ISP and server. AES-256-GCM over UDP and IPv4 takes 52 of them.
narrow() { ip -n "$LAB_ISP" link set server0 mtu "$1"; ip -n "$LAB_SERVER" link set eth0 mtu "$1"; }
# The ISP swallows what is too large without a word, or says so again.
mute() { lab_in isp nft 'table ip mute { chain out { type filter hook output priority 0; icmp type destination-unreachable icmp code frag-needed counter drop; }; }'; }
talk() { lab_in isp nft delete table ip mute; }
swallowed() { lab_in isp nft list table ip mute | grep -qE 'packets [1-9]'; }
mtu_is() { adit status home --json 2> /dev/null | grep -q "\"mtu\":$1,"  && ip -n "$LAB_GW" link show tun-home | grep -q "mtu $1 "; }
clamp_is() { [ "$(lab_in gw nft list chain inet adit clamp_mss | grep -F '"tun-home"' | grep -oE 'size set [0-9]+' | sort -u | tr '\n' ' ')" = "size set $(($1 - 60)) size set $(($1 - 40)) " ]; }
follows() { # SECONDS WORDS BYTES
  expect_within "$1" "$2: the tunnel takes $3" mtu_is "$3"
  expect_within 2 "$2: and so does the clamp" clamp_is "$3"
}
fits() { lab_in lan ping -c 1 -W 2 -q -M do -s $(($1 - 28)) 192.0.2.80 > /dev/null; }
# The LAN host has learned of other sizes before.
forgets() { ip -n "$LAB_LAN" route flush cache; lab_in lan ip tcp_metrics flush > /dev/null 2>&1; }
is_told() { forgets; lab_in lan ping -c 1 -W 2 -M do -s $(($1 - 27)) 192.0.2.80 2>&1 | grep -qE "mtu ?= ?$1"; }
transfer() { lab_in lan timeout 30 iperf3 -c 192.0.2.80 -p 5201 -n 2M --connect-timeout 3000 "$@" > /dev/null 2>&1; }
passes() { # WORDS BYTES
  forgets
  expect "$1: what fits passes whole" fits "$2"
  expect "$1: one byte more is said to be too much" is_told "$2"
  lab_capture isp server0 "$LAB_DIR/pieces.pcap" "udp and ip[6:2] & 0x3fff != 0"
  expect "$1: a download" transfer -R
  expect "$1: an upload" transfer
  lab_capture_end "$LAB_DIR/pieces.pcap"
  expect "$1: not a packet of them in pieces" test -z "$(tcpdump -n -r "$LAB_DIR/pieces.pcap" 2> /dev/null)"
}

narrow 1400; mute
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
follows 20 "without ICMP" 1348
expect "the ISP has swallowed something" swallowed
expect "one line says so" adit_log 'path 1400, tunnel 1348, MSS 1308'
passes "without ICMP" 1348

flood_begin lan 192.0.2.80 0.2
narrow 1300
follows 60 "a path that becomes narrower in silence" 1248
talk
flood_end
expect "no more than a few pings lost meanwhile ($LOST of $SENT)" test "$LOST" -le 5
narrow 1400
ip -n "$LAB_GW" route replace default via 198.51.101.1 dev wan1
follows 20 "another uplink" 1348
ip -n "$LAB_GW" link set wan1 mtu 1380
follows 5 "an uplink of our own that becomes narrower" 1328
passes "an uplink of our own" 1328
ip -n "$LAB_GW" link set wan1 mtu 1500
follows 5 "and wider" 1348
expect "the same session all the while" adit_status '"handshakes":1,'
refuse "what we changed ourselves is blamed on nobody" adit_log 'by another program'
expect "stops in time" adit_stop

adit_run
expect_within 10 "connected anew" adit_connected
follows 3 "with ICMP" 1348
adit reconnect home
expect_within 10 "a reconnect" adit_status '"handshakes":2,'
expect "begins with what is known" mtu_is 1348
passes "with ICMP" 1348

config_tunnel home "option mtu '1444'"
adit_reload
expect_within 10 "the owner's word" mtu_is 1444
adit reconnect home
expect_within 10 "connected once more" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
expect "the owner's word is not measured against" mtu_is 1444
refuse "what we changed ourselves is blamed on nobody" adit_log 'by another program'
expect "stops in time" adit_stop

rm "$LAB_DIR/config/tunnel-home"
config_tunnel stream "option device 'tun-home'"
config_gateway lan "list tunnel 'stream'" "list lan 'lan0'" "option kill_switch 'session'"
adit_run
expect_within 10 "connected over TCP" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
forgets
# As much as the server's own way out takes.
expect "over TCP nothing is cut: the connection does that" fits 1400
refuse "what we changed ourselves is blamed on nobody" adit_log 'by another program'
expect "stops in time" adit_stop
