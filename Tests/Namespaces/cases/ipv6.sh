# The server is reached over IPv6, and the tunnel carries IPv6 of the LAN.
lab_up; lab_pki
lab_server six "port 1194" "proto udp6" "server-ipv6 fd08::/64" 'push "redirect-gateway def1 ipv6"'
lab_profile "$LAB_DIR/six.ovpn" "remote 2001:db8:203::10 1194 udp6"
adit_start connect "$LAB_DIR/six.ovpn" --lan lan0
expect_within 10 "connected over IPv6" adit_connected
expect "status shows both families" adit_status '"ipv4":\["10\.8\.0\.[0-9]+/24"\].*"ipv6":\["fd08::[0-9a-f]+/64"\]'
expect_within 5 "IPv4 of the LAN reaches the far host" ping_lan 192.0.2.80
expect_within 5 "IPv6 of the LAN reaches the far host" ping_lan 2001:db8:80::80
lab_server_stop six
adit_stop

# A server without IPv6: the LAN's IPv6 is refused, not leaked and not swallowed.
lab_server four "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/four.ovpn" "remote 203.0.113.10 1194 udp"
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "ip6 and host 2001:db8:80::80"
adit_start connect "$LAB_DIR/four.ovpn" --lan lan0
expect_within 10 "connected over IPv4" adit_connected
refuse "IPv6 of the LAN does not get out" ping_lan 2001:db8:80::80
lab_capture_end "$LAB_DIR/wan.pcap"
expect "nothing of it was seen on the WAN" sh -c "[ \$(tcpdump -r $LAB_DIR/wan.pcap 2>/dev/null | wc -l) -eq 0 ]"
expect "stops in time" adit_stop
lab_server_stop four

# A router that gives new devices no IPv6: ours gets what it needs.
lab_in gw sysctl -qw net.ipv6.conf.default.disable_ipv6=1
lab_server later "port 1194" "proto udp" "server-ipv6 fd08::/64" 'push "redirect-gateway def1 ipv6"'
lab_profile "$LAB_DIR/later.ovpn" "remote 203.0.113.10 1194 udp"
adit_start connect "$LAB_DIR/later.ovpn" --lan lan0
expect_within 10 "connected all the same" adit_status '"status":"connected".*"ipv6":\["fd08::[0-9a-f]+/64"\]'
expect_within 5 "IPv6 of the LAN reaches the far host" ping_lan 2001:db8:80::80
expect "stops in time" adit_stop
