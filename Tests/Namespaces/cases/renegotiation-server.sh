# New keys every six seconds, begun by the server, under a continuous ping: not one packet is lost.
lab_up; lab_pki
lab_server keys "port 1194" "proto udp" "tls-crypt $LAB_DIR/pki/ta.key" "reneg-sec 6" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/keys.ovpn" "remote 203.0.113.10 1194 udp" "reneg-sec 0"
lab_inline tls-crypt "$LAB_DIR/pki/ta.key" >> "$LAB_DIR/keys.ovpn"
adit_start connect "$LAB_DIR/keys.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "28 s of pings, none lost" sh -c "ip netns exec $LAB_LAN ping -c 560 -i 0.05 -q 192.0.2.80 | tee $LAB_DIR/ping.log | grep -q ' 0% packet loss'"
expect "keys were renewed at least three times" adit_status '"handshakes":1,.*"renegotiations":([3-9]|[1-9][0-9])'
expect "stops in time" adit_stop
