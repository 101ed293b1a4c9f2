# R-10: the server's answers are lost: found out in seconds, not by ping-restart; never while answers flow; and an idle tunnel is quiet.
lab_up; lab_pki
. Tests/Namespaces/house.sh
lab_server home "port 1194" "proto udp" "keepalive 60 240" 'push "redirect-gateway def1"'
profile home "remote 203.0.113.10 1194 udp" "connect-timeout 3"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80

# Nothing passes: what was asked about the way is answered long since.
lab_in gw ip neighbour flush dev tun-home 2> /dev/null
quiet() {
  lab_capture isp gw0 "$LAB_DIR/idle.pcap" udp port 1194
  sleep 8
  lab_capture_end "$LAB_DIR/idle.pcap"
  [ "$(tcpdump -n -r "$LAB_DIR/idle.pcap" 2> /dev/null | wc -l)" -eq 0 ]
}
expect_within 60 "an idle tunnel makes no packets" quiet

# Both ways full for ten seconds: no verdict, no reconnect.
lab_in far iperf3 -s -p 5201 > /dev/null 2>&1 & LAB_PIDS+=($!)
wait_for 5 sh -c "ip netns exec $LAB-far ss -tln | grep -q ':5201 '"
expect "a saturated link" sh -c "ip netns exec $LAB-lan iperf3 -c 192.0.2.80 -p 5201 -t 5 > $LAB_DIR/iperf 2>&1 && ip netns exec $LAB-lan iperf3 -c 192.0.2.80 -p 5201 -u -b 0 -t 5 >> $LAB_DIR/iperf 2>&1"
expect "gives no verdict" adit_status '"status":"connected".*"handshakes":1,"reconnects":0'

# What the server says is lost, what it hears is not.
server_mute() { lab_in server nft "table ip mute { chain out { type filter hook output priority 0; udp sport 1194 counter drop; }; }"; }
flood_begin lan 192.0.2.80 0.05
server_mute
refuse "a moment ago all was well" adit_status '"status":"reasserting"'
expect_within 8 "found out long before ping-restart" adit_status '"status":"reasserting"'
lab_in server nft delete table ip mute
expect_within 8 "it answers again: connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
flood_end
expect "one more handshake, no more" adit_status '"handshakes":2,"reconnects":1'
expect "stops in time" adit_stop
