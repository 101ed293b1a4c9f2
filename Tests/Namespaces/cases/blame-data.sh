# C-2: a tunnel that stands and carries nothing is known by its own probes, and the server is not blamed while the internet outside is silent.
. Tests/Namespaces/blame.sh
lab_up; lab_pki
resolvers_are 192.0.2.53
ip -n "$LAB_FAR" address add 192.0.2.53/24 dev eth0
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
profile_is "remote 203.0.113.10 1194 udp"
printf "\nconfig health 'home'\n\toption interval '2s'\n\toption fail_after '2'\n" >> "$LAB_DIR/config/gateway"
run_home
connects
# The LAN keeps sending, so that there is something to be missed.
lab_in lan ping -i 0.2 -q 192.0.2.80 > /dev/null 2>&1 & LAB_PIDS+=($!)
cut_off server prerouting 'iifname "tun-home" drop'
says data-dropped 40
join server
connects 40

# The line dies under it: then it is the line.
lab_in isp sysctl -qw net.ipv4.ip_forward=0
says outside-dead 60
lab_in isp sysctl -qw net.ipv4.ip_forward=1
connects 40
expect "stops in time" adit_stop
