# The server by name: asked of the uplink's resolver over marked sockets, all addresses tried in turn; then a dead first remote.
lab_up; lab_pki
mkdir -p "/etc/netns/$LAB_GW"
printf 'nameserver 198.51.100.1\n' > "/etc/netns/$LAB_GW/resolv.conf"
ip netns exec "$LAB_ISP" dnsmasq --keep-in-foreground --no-resolv --no-hosts --port 53 --pid-file \
  --listen-address 198.51.100.1 --bind-interfaces \
  --host-record=vpn.lab,203.0.113.99 --host-record=vpn.lab,203.0.113.10 > "$LAB_DIR/dnsmasq.log" 2>&1 & LAB_PIDS+=($!)
lab_server named "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/named.ovpn" "remote vpn.lab 1194 udp" "connect-timeout 3"
adit_start connect "$LAB_DIR/named.ovpn" --lan lan0
expect_within 15 "connected by name, whichever address came first" adit_connected
expect "status names host and address" adit_status '"host":"vpn.lab","address":"203.0.113.10"'
expect "stops in time" adit_stop

lab_profile "$LAB_DIR/second.ovpn" "remote nosuch.lab 1194 udp" "remote 203.0.113.98 1194 udp" "remote vpn.lab 1194 udp" "connect-timeout 3"
adit_start connect "$LAB_DIR/second.ovpn" --lan lan0
expect_within 25 "reaches the third remote" adit_connected
expect "the log names the unresolvable one" adit_log 'nosuch.lab'
expect "stops in time" adit_stop

# Started before there is an uplink: the first way out is taken at once.
ip -n "$LAB_GW" link set wan0 down
sed -i 's/connect-timeout 3/connect-timeout 1/' "$LAB_DIR/named.ovpn"
adit_start connect "$LAB_DIR/named.ovpn" --lan lan0
expect_within 5 "tries the name in vain" adit_log 'vpn.lab'
ip -n "$LAB_GW" link set wan0 up; ip -n "$LAB_GW" route add default via 198.51.100.1
expect_within 5 "connects when the line comes" adit_connected
expect "stops in time" adit_stop
rm -rf "/etc/netns/$LAB_GW"
