# C-2: a tunnel that stands and carries nothing is known by its own probes, and keeps its session; while the internet outside is silent it is
# the line.
. Tests/Namespaces/blame.sh
lab_up; lab_pki
resolvers_are 192.0.2.53
ip -n "$LAB_FAR" address add 192.0.2.53/24 dev eth0
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
profile_is "remote 203.0.113.10 1194 udp"
run_home
connects
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
# The LAN keeps sending, so that there is something to be missed.
lab_in lan ping -i 0.2 -q 192.0.2.80 > /dev/null 2>&1 & LAB_PIDS+=($!)
before=$(told_times 'The tunnel stands, but')
cut_off server prerouting 'iifname "tun-home" drop'
says data-dropped 20
# The server answers its control channel, and the internet outside answers too.
sleep 10
says data-dropped 1
refuse "the server is not blamed" adit_log 'The server does not answer'
expect "the log says it once" test "$(told_times 'The tunnel stands, but')" -eq $((before + 1))
expect "the session is kept" adit_status '"status":"connected".*"handshakes":1,"reconnects":0'
join server
connects 20
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80

# The line dies under it: then it is the line.
lab_in isp sysctl -qw net.ipv4.ip_forward=0
says outside-dead 60
lab_in isp sysctl -qw net.ipv4.ip_forward=1
connects 40
expect "stops in time" adit_stop
