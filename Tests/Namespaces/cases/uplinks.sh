# R-06, G-01: two ways out, the first goes and comes back, by route, by cable and without a word: the tunnel follows, the LAN sees neither.
lab_up; lab_pki; lab_second_uplink
. Tests/Namespaces/house.sh
strict_filter
count_exits
lab_server home "port 1194" "proto udp" "keepalive 1 4" 'push "redirect-gateway def1"'
profile home "remote 203.0.113.10 1194 udp" "connect-timeout 3"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
ip -n "$LAB_GW" route replace default via 198.51.100.1 dev wan0 metric 10; ip -n "$LAB_GW" route del default metric 0 2> /dev/null
clear="icmp and (host 192.0.2.80 or net 192.168.0.0/16)"
lab_capture isp gw1 "$LAB_DIR/wan1.pcap" "$clear"
leak_watch "$clear"; leak_control lan
leak_watch "$clear"
by() { adit_status "\"status\":\"connected\".*\"uplink\":\"$1\"" && ping_lan 192.0.2.80; }
adit_run
expect_within 10 "connected" adit_connected
expect_within 5 "by the first way out" by wan0
flood_begin lan 192.0.2.80 0.02
ip -n "$LAB_GW" route del default dev wan0
expect_within 5 "its default goes: by the second" by wan1
ip -n "$LAB_GW" route add default via 198.51.100.1 dev wan0 metric 10
expect_within 5 "it is back: by the first" by wan0
ip -n "$LAB_ISP" link set gw0 down
ip -n "$LAB_GW" link set wan0 down
expect_within 8 "the cable goes: by the second" by wan1
ip -n "$LAB_ISP" link set gw0 up; ip -n "$LAB_GW" link set wan0 up
# An address first, the way out later, as a slow DHCP server does it.
expect "without a default by wan0 the second serves on" by wan1
ip -n "$LAB_GW" route add default via 198.51.100.1 dev wan0 metric 10
expect_within 5 "by the first again" by wan0
flood_end
expect "fewer than half of $SENT pings were lost ($LOST)" test $((LOST * 2)) -lt "$SENT"
expect "the LAN is on its one tunnel" exits_by lan 203.0.113.10
lab_capture_end "$LAB_DIR/wan1.pcap"
expect "no clear packet on the second WAN" sh -c "[ \$(tcpdump -n -r $LAB_DIR/wan1.pcap 2> /dev/null | wc -l) -eq 0 ]"
leak_none "two ways out"
expect "stops in time" adit_stop
