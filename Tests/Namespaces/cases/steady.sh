# Names and addresses over restarts, a server that is away for a while and comes back with another net, a kernel without IPv6.
lab_up; lab_pki
. Tests/Namespaces/house.sh
count_exits
server() { lab_server home "port 1194" "proto udp" "keepalive 1 3" 'push "redirect-gateway def1"' "$@"; }
server
profile home "remote 203.0.113.10 1194 udp" "connect-timeout 3"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
leak_watch
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
index=$(lab_in gw cat /sys/class/net/tun-home/ifindex)
addresses() { ip -n "$LAB_GW" -o address show tun-home | sed -E 's/^[0-9]+: //; s/valid_lft.*//'; }
before=$(addresses)
ip -n "$LAB_GW" monitor all-nsid label link address route rule > "$LAB_DIR/monitor" 2>&1 & monitor=$!; LAB_PIDS+=($monitor)
wait_for 2 test -d "/proc/$monitor"
for try in 1 2 3 4 5; do
  adit reconnect home
  expect_within 5 "G-12: restart $try" adit_status "\"status\":\"connected\".*\"reconnects\":$try"
done
expect "G-12: the device is the same" test "$index" = "$(lab_in gw cat /sys/class/net/tun-home/ifindex)"
expect "its addresses are" test "$before" = "$(addresses)"
refuse "no rule and no route was taken away, be it for a moment" grep -E '^(\[RULE\]|\[ROUTE\])?Deleted' "$LAB_DIR/monitor"
refuse "its address and the device were not touched" grep -E '\[(ADDR|LINK)\].*Deleted' "$LAB_DIR/monitor"
kill "$monitor"

# away for four seconds, under load.
flood_begin lan 192.0.2.80 0.01
lab_server_stop home -KILL
expect_within 8 "R-12: the silence is noticed" adit_status '"status":"reasserting"'
refuse "nothing gets through" ping_lan 192.0.2.80
expect "the table refuses below the tunnel" sh -c "ip -n $LAB_GW route show table 44001 | grep -q 'unreachable default'"
server
expect_within 12 "it is back: connected" adit_connected
expect_within 3 "the LAN leaves by the tunnel" exits_by lan 203.0.113.10
# the next session gets another net, and a resolver.
lab_server_stop home -KILL
server "server 10.9.0.0 255.255.255.0" 'push "route 10.77.0.0 255.255.0.0"'
expect_within 15 "R-13: another address" adit_status '"status":"connected".*"ipv4":\["10\.9\.0\.2/24"\]'
expect_within 3 "the LAN leaves by the tunnel" exits_by lan 203.0.113.10
flood_end
expect "the old address is gone" sh -c "! ip -n $LAB_GW -o address show tun-home | grep -q 10.8.0"
expect "the old route too" sh -c "! ip -n $LAB_GW route show table all | grep -q '10\.8\.0'"
expect "the device is the same" test "$index" = "$(lab_in gw cat /sys/class/net/tun-home/ifindex)"
leak_none "steady"
expect "stops in time" adit_stop
lab_server_stop home

lab_in gw sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
server "server-ipv6 fd08::/64"
before=$(network_state)
leak_watch
adit_run
expect_within 10 "G-21: without IPv6: connected" adit_connected
expect_within 3 "the LAN leaves by the tunnel" exits_by lan 203.0.113.10
refuse "no step failed" adit_log 'could not|Operation not|Permission'
expect "down" adit down home
expect_within 3 "it is down" tunnel_is home disconnected
refuse "the LAN is closed" ping_lan 192.0.2.80
leak_none "without IPv6"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
