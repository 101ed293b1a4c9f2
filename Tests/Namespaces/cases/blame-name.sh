# C-2: names that cannot be resolved, at boot and later; a profile that is no profile; and a device of ours that somebody else has.
. Tests/Namespaces/blame.sh
. Tests/Namespaces/names.sh
lab_up; lab_pki; names_up
resolvers_are 192.0.2.53
lab_server home "port 1194" "proto udp"
isp_names() { resolver isp isp-names --address=/vpn.example/203.0.113.10; ISP_NAMES=${LAB_PIDS[-1]}; }
kill "${LAB_PIDS[-1]}" 2> /dev/null; lab_in isp nft -f - <<'NFT'
table inet deaf { chain in { type filter hook input priority 0; udp dport 53 drop; tcp dport 53 drop; } }
NFT

# DNS is dead at boot, then alive.
profile_is "remote vpn.example 1194 udp"
run_home
says dns-dead 30
expect "the line is not blamed: it answers" adit_status 'internet outside: '
lab_in isp nft delete table inet deaf; isp_names
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

# The engine's process, again and again.
run_home
connects
killed() { kill -9 "$(engine_pid)" 2> /dev/null; adit_status '"code":"engine_died"'; }
expect_within 20 "the engine is killed until that is what status says" killed
says engine-killed
connects 40
expect "stops in time" adit_stop
