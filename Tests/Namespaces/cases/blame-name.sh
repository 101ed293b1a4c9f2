# C-2: names that cannot be resolved, at boot and later; a profile that is no profile; and a device of ours that somebody else has.
. Tests/Namespaces/blame.sh
. Tests/Namespaces/names.sh
lab_up; lab_pki
ip -n "$LAB_ISP" address add 192.0.2.53/32 dev lo
resolver isp isp-names --address=/vpn.example/203.0.113.10 --local=/invalid/
resolvers_are 192.0.2.53
lab_server home "port 1194" "proto udp"
cut_off isp input "meta l4proto { tcp, udp } th dport 53 drop"

# DNS is dead at boot, then alive.
profile_is "remote vpn.example 1194 udp"
run_home
says dns-dead 30
expect "the line is not blamed: it answers" adit_status 'internet outside: '
join isp
connects 30
expect "stops in time" adit_stop

profile_is "remote gone.invalid 1194 udp"
run_home
says dns-unknown
expect "stops in time" adit_stop

# No profile at all, then a good one.
profile_is "verb 3"
run_home
says profile-broken
expect "status says that nothing will happen by itself" adit_status '"status":"invalid".*"fatal":true'
profile_is "remote 203.0.113.10 1194 udp"
kill -HUP "$ADIT_PID"
connects
expect "stops in time" adit_stop

ip -n "$LAB_GW" link add tun-home type veth peer name other0
run_home
says device-taken
expect "stops in time" adit_stop
ip -n "$LAB_GW" link del tun-home

run_home
connects
# Status has it for as long as the fresh one takes to connect, a moment; the log keeps it.
kill -9 "$(engine_pid)"
expect_within 5 "engine-killed: the log says it" adit_log "home: $(fault_row engine-killed | head -1): it was ended by signal 9"
connects
expect "stops in time" adit_stop
