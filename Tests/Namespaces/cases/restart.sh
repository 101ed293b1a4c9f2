# The server restarts politely: we are back by ourselves, with the same device.
lab_up; lab_pki
lab_server polite "port 1194" "proto udp" "explicit-exit-notify 1" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/polite.ovpn" "remote 203.0.113.10 1194 udp" "connect-timeout 3"
adit_start connect "$LAB_DIR/polite.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
index=$(lab_in gw cat /sys/class/net/tun-polite/ifindex)
lab_server_stop polite
expect_within 5 "the restart is noticed" adit_status '"status":"reasserting"'
refuse "closed meanwhile" ping_lan 192.0.2.80
lab_server polite "port 1194" "proto udp" "explicit-exit-notify 1" 'push "redirect-gateway def1"'
expect_within 15 "connected again" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "the device is the same" test "$index" = "$(lab_in gw cat /sys/class/net/tun-polite/ifindex)"
expect "stops in time" adit_stop
