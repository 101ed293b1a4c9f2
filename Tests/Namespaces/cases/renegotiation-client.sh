# New keys every six seconds, begun by us, over TCP and without a wrap.
lab_up; lab_pki
lab_server keys "port 1194" "proto tcp-server" "reneg-sec 0" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/keys.ovpn" "remote 203.0.113.10 1194 tcp" "reneg-sec 6"
adit_start connect "$LAB_DIR/keys.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "20 s of pings, none lost" sh -c "ip netns exec $LAB_LAN ping -c 400 -i 0.05 -q 192.0.2.80 | grep -q ' 0% packet loss'"
expect "keys were renewed at least twice" adit_status '"renegotiations":([2-9]|[1-9][0-9])'
expect "stops in time" adit_stop
