# G-01, R-12: engine, then supervisor, killed while the LAN floods: not one clear packet, and the next start goes on.
lab_up; lab_pki
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
home_profile
home_config
# On the gateway's cable only its own packets and the answers to them pass; what comes out of the tunnel takes another.
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "not host 203.0.113.10 and (icmp or icmp6 and ip6[40] >= 128 and ip6[40] <= 129 or tcp)"
expect "arm, as at boot" adit arm --config "$LAB_DIR/config"
adit_start run --config "$LAB_DIR/config"
for address in 192.0.2.80 2001:db8:80::80; do
  lab_in lan ping -f -q "$address" > "$LAB_DIR/flood-$address.log" 2>&1 & LAB_PIDS+=($!)
done
expect_within 10 "connected" adit_connected
flows() { [ "$(lab_in gw cat /sys/class/net/tun-home/statistics/rx_packets)" -gt "$1" ]; }
expect_within 5 "the flood goes through the tunnel" flows 100
for try in 1 2 3; do
  engine=$(engine_pid)
  kill -9 "$engine"
  expect_within 5 "another engine runs ($try)" fresh_engine "$engine"
  expect_within 10 "connected again ($try)" adit_connected
done
for try in 1 2 3; do
  kill -9 "$ADIT_PID"
  expect_within 3 "the supervisor is gone ($try)" sh -c "! kill -0 $ADIT_PID 2>/dev/null"
  refuse "closed with no process alive ($try)" ping_lan 192.0.2.80
  adit_start run --config "$LAB_DIR/config"
  expect_within 10 "the next start connects ($try)" adit_connected
  expect_within 5 "the LAN gets through ($try)" ping_lan 192.0.2.80
done
engine=$(engine_pid)
kill -9 "$ADIT_PID" "$engine"
expect_within 3 "both at once" sh -c "! kill -0 $ADIT_PID 2>/dev/null"
refuse "closed" ping_lan 192.0.2.80
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected after both" adit_connected
expect "stops in time" adit_stop
refuse "stopped: closed" ping_lan 192.0.2.80
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no clear packet was seen on the WAN" test "$(tcpdump -n -r "$LAB_DIR/wan.pcap" 2>/dev/null | grep -c .)" -eq 0
