# the WAN's default goes while a tunnel takes everything: our own packets are not caught by it, nothing spins, nothing leaks.
lab_up; lab_pki
. Tests/Namespaces/house.sh
count_exits
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"' "keepalive 1 5"
profile home "remote 203.0.113.10 1194 udp"
config_tunnel home
gateway() { config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'" "$@"; }
cpu() { cat "/proc/$ADIT_PID/stat" "/proc/$(engine_pid)/stat" 2> /dev/null | sed 's/.*) //' | awk '{ sum += $12 + $13 } END { print sum }'; }
# without_default WHEN: two seconds without a way out, under load.
without_default() {
  local began seen
  flood_begin "$2" 192.0.2.80 0.005
  lab_capture gw tun-home "$LAB_DIR/inside.pcap" "host 203.0.113.10"
  ip -n "$LAB_GW" route del default
  expect_within 3 "$1: no way out is noticed" adit_status '"status":"(reasserting|connecting)"'
  began=$(cpu)
  wait_for 2 false
  seen=$(( $(cpu) - began ))
  expect "$1: two seconds cost less than 0.4 s of computing ($seen ticks of 10 ms)" test "$seen" -lt 40
  ip -n "$LAB_GW" route add default via 198.51.100.1 dev wan0
  # Whatever else is planned in this moment, the new way is looked for.
  adit up home
  expect_within 6 "$1: connected again" adit_connected
  flood_end
  lab_capture_end "$LAB_DIR/inside.pcap"
  expect "$1: no packet of ours was caught by the tunnel" sh -c "[ \$(tcpdump -n -r $LAB_DIR/inside.pcap 2> /dev/null | wc -l) -eq 0 ]"
}
leak_watch "icmp and (host 192.0.2.80 or net 192.168.0.0/16)"; leak_control lan
leak_watch "icmp and (host 192.0.2.80 or net 192.168.0.0/16)"
gateway; adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN leaves by the tunnel" exits_by lan 203.0.113.10
without_default "scope forward" lan
gateway "option scope 'all'"; adit_reload
# Until then the router goes by the WAN, as it should.
expect_within 3 "scope all" sh -c "ip -n $LAB_GW route get 192.0.2.80 | grep -q tun-home"
expect_within 3 "the router leaves by the tunnel" exits_by gw 203.0.113.10
without_default "scope all" gw
# The line itself goes and comes: addresses and routes with it.
flood_begin lan 192.0.2.80 0.01
for try in 1 2 3; do
  ip -n "$LAB_GW" link set wan0 down
  wait_for 1 false
  ip -n "$LAB_GW" link set wan0 up
  ip -n "$LAB_GW" route add default via 198.51.100.1 dev wan0
done
expect_within 10 "the line has flapped: connected" adit_connected
expect_within 5 "the LAN leaves by the tunnel" exits_by lan 203.0.113.10
flood_end
# A default without a device, while the line is down: the kernel lays it through the tunnel, which must not carry itself.
ip -n "$LAB_GW" link set wan0 down
ip -n "$LAB_GW" route add default via 198.51.100.1
expect "the kernel takes the tunnel for the way out" sh -c "ip -n $LAB_GW route show default | grep -q tun-home"
ip -n "$LAB_GW" link set wan0 up
expect_within 3 "which is noticed" adit_status '"status":"(reasserting|connecting)"'
began=$(cpu); wait_for 2 false; seen=$(( $(cpu) - began ))
expect "two seconds of it cost less than 0.4 s of computing ($seen ticks of 10 ms)" test "$seen" -lt 40
ip -n "$LAB_GW" route replace default via 198.51.100.1 dev wan0
expect_within 10 "a way out again: connected" adit_connected
expect_within 5 "the LAN leaves by the tunnel" exits_by lan 203.0.113.10
leak_none "own packets"
expect "stops in time" adit_stop

# A tunnel without a gateway that takes the router's default.
lab_profile "$LAB_DIR/home.ovpn" "remote 203.0.113.10 1194 udp"
adit_start connect "$LAB_DIR/home.ovpn"
expect_within 10 "no gateway: connected" adit_connected
expect_within 3 "the router leaves by the tunnel" exits_by gw 203.0.113.10
without_default "no gateway" gw
expect "stops in time" adit_stop
