# C-2: what is wrong between the house and the internet has its own sentence, the server is never blamed for it, and the tunnel is back with the way.
. Tests/Namespaces/blame.sh
lab_up; lab_pki
resolvers_are 192.0.2.53
ip -n "$LAB_FAR" address add 192.0.2.53/24 dev eth0
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
profile_is "remote 203.0.113.10 1194 udp"
back() { lab_address gw wan0 198.51.100.2/24 2001:db8:100::2/64 2> /dev/null; ip -n "$LAB_GW" route replace default via 198.51.100.1; }

ip -n "$LAB_ISP" link set gw0 down
run_home
says cable-out
ip -n "$LAB_ISP" link set gw0 up
connects

# The cable again, from a tunnel that is up.
ip -n "$LAB_ISP" link set gw0 down
says cable-out
ip -n "$LAB_ISP" link set gw0 up
connects

ip -n "$LAB_GW" link set wan0 down
says uplink-off
ip -n "$LAB_GW" link set wan0 up; back
connects

ip -n "$LAB_GW" address flush dev wan0
says no-address
back
connects

ip -n "$LAB_GW" route del default
says no-route
back
connects

# A modem that has a link and is dead: nobody answers its address.
ip -n "$LAB_ISP" address del 198.51.100.1/24 dev gw0
adit reconnect home
says gateway-dead 25
refuse "the server is not blamed" adit_log 'The server does not answer'
ip -n "$LAB_ISP" address add 198.51.100.1/24 dev gw0
connects 30

# A provider that forwards nothing.
lab_in isp sysctl -qw net.ipv4.ip_forward=0
before=$(told_times 'The internet outside')
adit reconnect home
says outside-dead 25
attempts() { [ "$(grep -c 'home: connecting to' "$LAB_DIR/adit.log")" -ge $((tried + 2)) ]; }
tried=$(grep -c 'home: connecting to' "$LAB_DIR/adit.log")
expect_within 25 "it is tried on" attempts
expect "the log says it once, however many attempts" test "$(told_times 'The internet outside')" -eq $((before + 1))
refuse "the server is not blamed" adit_log 'The server does not answer'
lab_in isp sysctl -qw net.ipv4.ip_forward=1
connects 30

# While nothing is wrong nothing is asked.
lab_capture gw wan0 "$LAB_DIR/quiet.pcap" "icmp or icmp6[icmp6type] == 128 or port 53"
ping_lan 192.0.2.80 30 > /dev/null
lab_capture_end "$LAB_DIR/quiet.pcap"
expect "while nothing is wrong nothing is asked" test "$(tcpdump -n -r "$LAB_DIR/quiet.pcap" 2> /dev/null | grep -cE 'echo|53')" -eq 0
expect "stops in time" adit_stop
