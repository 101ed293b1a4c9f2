# G-04: closed by default: before the first connect, while the server is dead, and until the clean stop, no LAN packet leaves by the WAN.
lab_up; lab_pki
lab_profile "$LAB_DIR/dead.ovpn" "remote 203.0.113.10 1194 udp" "connect-timeout 3"
before=$(network_state)
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.77.0/24"
adit_start connect "$LAB_DIR/dead.ovpn" --lan lan0
expect_within 5 "the firewall stands" sh -c "ip netns exec $LAB_GW nft list table inet adit"
refuse "a ping of the LAN does not get out" ping_lan 192.0.2.80
refuse "nor over IPv6" ping_lan 2001:db8:80::80
expect "the refusal comes at once, as an answer" sh -c "ip netns exec $LAB_LAN ping -c 1 -W 2 192.0.2.80 | grep -qiE 'filtered|prohibited|unreachable'"
expect "the LAN reaches the router" ping_lan 192.168.77.1
expect "status says connecting" adit_status '"status":"connecting"'
expect_within 10 "and why" adit_status '"code":"server_silent"'
lab_server late "port 1194" "proto udp" 'push "redirect-gateway def1"'
expect_within 12 "connects when the server comes" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
lab_server_stop late -KILL
refuse "server dead: still closed" ping_lan 192.0.2.80
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no clear packet was seen on the WAN" sh -c "[ \$(tcpdump -r $LAB_DIR/wan.pcap 2>/dev/null | grep -vc 203.0.113.10) -eq 0 ]"
expect "stops although nobody answers" adit_stop
expect "within 5 s ($ADIT_STOP_MS ms)" test "$ADIT_STOP_MS" -lt 5000
expect "all is as it was before" test "$before" = "$(network_state)"
