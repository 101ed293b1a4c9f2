# kill -9 of the engine: the supervisor starts a fresh one; device, routes and rules stay; nothing leaks meanwhile.
lab_up; lab_pki
lab_server alive "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/alive.ovpn" "remote 203.0.113.10 1194 udp"
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "icmp and host 192.0.2.80"
adit_start connect "$LAB_DIR/alive.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
index=$(lab_in gw cat /sys/class/net/tun-alive/ifindex)
engine=$(engine_pid)
ip netns exec "$LAB_LAN" ping -i 0.02 -q 192.0.2.80 > /dev/null 2>&1 & LAB_PIDS+=($!)
kill -9 "$engine"
expect_within 2 "a fresh engine runs" fresh_engine "$engine"
expect_within 10 "connected again" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "the device is the same" test "$index" = "$(lab_in gw cat /sys/class/net/tun-alive/ifindex)"
expect "the log names the signal" adit_log 'signal 9|killed'

# Somebody deletes the device under it: a fresh engine gets a fresh device, and the LAN stays closed meanwhile.
engine=$(engine_pid)
ip -n "$LAB_GW" link del tun-alive
expect_within 5 "another engine runs" fresh_engine "$engine"
expect_within 10 "connected on a new device" adit_status '"status":"connected".*"handshakes":3'
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "the log says why" adit_log 'the tun device is gone'
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no clear packet was seen on the WAN" sh -c "[ \$(tcpdump -r $LAB_DIR/wan.pcap 2>/dev/null | grep -c 198.51.100.2) -eq 0 ]"
expect "stops in time" adit_stop
