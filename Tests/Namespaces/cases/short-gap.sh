# A gap of a second or two in the tunnel sends nobody out by the WAN, not even those who may go there while it is down.
lab_up; lab_pki
. Tests/Namespaces/house.sh
server() { lab_server home "port 1194" "proto udp" "keepalive 1 3" "explicit-exit-notify 1" 'push "redirect-gateway def1"'; }
server
profile home "remote 203.0.113.10 1194 udp" "connect-timeout 3"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'off'"
config_section policy tv "list src '192.168.77.11'" "option via 'home'" "option on_down 'wan'"
ip -n "$LAB_LAN" address add 192.168.77.11/24 dev eth0
leak_watch; leak_control lan
clear_of() { tcpdump -n -r "$LAB_DIR/wan.pcap" "src host $1" 2> /dev/null | grep -q .; }
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
leak_watch
for address in 192.168.77.10 192.168.77.11; do
  ip netns exec "$LAB_LAN" ping -I $address -i 0.05 -q 192.0.2.80 > /dev/null 2>&1 & LAB_PIDS+=($!)
done
kill -USR1 "$(cat "$LAB_DIR/server-home.pid")"
expect_within 10 "the server restarts politely: connected again" adit_status '"reconnects":1'
adit reconnect home
expect_within 5 "reconnected as asked" adit_status '"reconnects":2'
kill -9 "$(engine_pid)"
expect_within 5 "a fresh engine: connected again" adit_status '"reconnects":3'
for address in 192.168.77.10 192.168.77.11; do refuse "$address did not go out by the WAN meanwhile" clear_of $address; done
refuse "nor did the log say so" adit_log 'in the clear'
lab_server_stop home -KILL
for address in 192.168.77.10 192.168.77.11; do expect_within 8 "the server is gone: $address may" clear_of $address; done
expect "and the log says so" adit_log "gateway lan: home is down and kill_switch is 'off': all leaves by the WAN in the clear"
server
expect_within 12 "it is back" adit_status '"status":"connected".*"reconnects":4'
settled() { [ "$(ip -n "$LAB_GW" route get 192.0.2.80 from 192.168.77.10 iif lan0 | grep -c tun-home)" -eq 1 ]; }
expect_within 3 "the LAN is in the tunnel again" settled
expect_within 3 "and gets through" lab_in lan ping -c 1 -W 1 -q -I 192.168.77.11 192.0.2.80
lab_capture_end "$LAB_DIR/wan.pcap"
leak_watch
for address in 192.168.77.10 192.168.77.11; do lab_in lan ping -c 2 -i 0.2 -W 1 -q -I $address 192.0.2.80 > /dev/null; done
leak_none "in the tunnel again"
expect "stops in time" adit_stop
