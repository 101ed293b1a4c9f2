# What a server pushes and the house already has: the LAN's own net, a wider one, the net of the server itself, the WAN's net.
lab_up; lab_pki; lab_second_lan
. Tests/Namespaces/house.sh
count_exits
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"' 'push "route 192.168.77.0 255.255.255.0"' \
  'push "route 192.168.0.0 255.255.0.0"' 'push "route 203.0.113.0 255.255.255.0"'
profile home "remote 203.0.113.10 1194 udp"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "list lan 'lan1'" "option kill_switch 'session'"
listen server 8443
before=$(network_state)
leak_watch "host 192.0.2.80 or net 192.168.0.0/16 or tcp port 8443"; leak_control lan
leak_watch "host 192.0.2.80 or net 192.168.0.0/16 or tcp port 8443"
adit_run
expect_within 10 "connected" adit_connected
expect "the log says that the LAN's own net is refused" adit_log 'the route to 192.168.77.0/24 is refused: it is 192.168.77.0/24 on lan0'
expect "the LAN reaches the router" ping_lan 192.168.77.1
expect "and the other LAN" ping_lan 192.168.78.10
expect_within 3 "the LAN leaves by the tunnel" exits_by lan 203.0.113.10
lab_capture server tun-home "$LAB_DIR/inside.pcap" "dst host 192.168.200.1 or tcp port 8443"
lab_in lan ping -c 1 -W 0.2 -q 192.168.200.1 > /dev/null
expect "G-19: the server's address on another port" reaches lan 203.0.113.10 8443
lab_capture_end "$LAB_DIR/inside.pcap"
inside() { tcpdump -n -r "$LAB_DIR/inside.pcap" 2> /dev/null | grep -q "$1"; }
expect "goes into the tunnel" inside '203.0.113.10.8443'
expect "what is in the wider net and not in the house does too" inside '192.168.200.1'
expect "the transport stays outside" sh -c "ip -n $LAB_GW route get 203.0.113.10 mark 0xad000000 | grep -q wan0"
leak_none "pushed nets of the house"
adit_stop; lab_server_stop home

# The same for a tunnel of the router itself: its own transport is not caught by the net that holds the server.
lab_server inside "port 1195" "proto udp" 'push "route 203.0.113.0 255.255.255.0"'
lab_profile "$LAB_DIR/inside.ovpn" "remote 203.0.113.10 1195 udp"
adit_start connect "$LAB_DIR/inside.ovpn"
expect_within 10 "connected to a server inside its own push" adit_connected
lab_capture server tun-inside "$LAB_DIR/inside.pcap" "tcp port 8443"
expect "the router's other packets for the server go into the tunnel" reaches gw 203.0.113.10 8443
lab_capture_end "$LAB_DIR/inside.pcap"
expect "as seen there" inside '203.0.113.10.8443'
adit_stop; lab_server_stop inside

# G-18: the tunnel's net is the WAN's.
lab_server shadow "port 1196" "proto udp" "mode server" "tls-server" "ifconfig 10.8.0.1 255.255.255.0" 'push "topology subnet"' \
  'push "ifconfig 198.51.100.200 255.255.255.0"' 'push "redirect-gateway def1"' "push \"route-gateway 198.51.100.201\""
profile home "remote 203.0.113.10 1196 udp"
leak_watch "host 192.0.2.80 or net 192.168.0.0/16"
adit_run
expect_within 8 "G-18: a tunnel net equal to the WAN's is refused" adit_status '"code":"subnet_conflict"'
expect "by name" adit_log '198.51.100.0/24 and 198.51.100.0/24 on wan0'
expect "the way out stands" lab_in gw ping -c 1 -W 1 -q 198.51.100.1
refuse "the LAN is closed" ping_lan 192.0.2.80
leak_none "a conflict"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
