# S-03, S-04: kill -9 of the supervisor: engines go too, the LAN stays closed with no process alive, the next start recovers,
# and the stop after it takes everything along, whatever user the profile names.
lab_up; lab_pki
lab_server alive "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/alive.ovpn" "remote 203.0.113.10 1194 udp" "user nobody" "group nogroup"
before=$(network_state)
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "icmp and host 192.0.2.80"
adit_start connect "$LAB_DIR/alive.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
engine=$(engine_pid)
ip netns exec "$LAB_LAN" ping -i 0.02 -q 192.0.2.80 > /dev/null 2>&1 & LAB_PIDS+=($!)
kill -9 "$ADIT_PID"
expect_within 3 "the engine ends with its supervisor" sh -c "! kill -0 $engine 2>/dev/null"
refuse "the LAN stays closed" ping_lan 192.0.2.80
adit_start connect "$LAB_DIR/alive.ovpn" --lan lan0
expect_within 10 "the next start connects" adit_connected
expect_within 5 "the LAN gets through again" ping_lan 192.0.2.80
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no clear packet was seen on the WAN" sh -c "[ \$(tcpdump -r $LAB_DIR/wan.pcap 2>/dev/null | grep -c 198.51.100.2) -eq 0 ]"
expect "stops in time" adit_stop
expect "all is as it was before the first start" test "$before" = "$(network_state)"
# And `adit cleanup` does the same when nobody starts again.
adit_start connect "$LAB_DIR/alive.ovpn" --lan lan0
expect_within 10 "connected once more" adit_connected
kill -9 "$ADIT_PID"; wait_for 3 eval "! kill -0 $ADIT_PID 2>/dev/null"
expect "cleanup succeeds" adit cleanup
expect "cleanup leaves nothing" test "$before" = "$(network_state)"
