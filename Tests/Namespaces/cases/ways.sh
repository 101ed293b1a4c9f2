# R-13: a running connection does not stick to its old way: not to the WAN when the tunnel comes, not to an old address of the
# tunnel, not to a policy that came or went. One ping with one identity runs all the time.
lab_up; lab_pki
. Tests/Namespaces/house.sh
count_exits
home() { lab_server home "port 1194" "proto udp" "keepalive 1 3" 'push "redirect-gateway def1"' "$@"; }
profile home "remote 203.0.113.10 1194 udp" "connect-timeout 3"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'off'" "option ipv6 'bypass'"
printf "config globals 'globals'\n\toption log_level 'debug'\n" > "$LAB_DIR/config/globals"
lab_in gw sysctl -qw net.ipv4.ip_forward=1
# As every router has it for its WAN.
lab_in gw nft -f - <<'NFT'
table ip wan {
  chain out {
    type nat hook postrouting priority srcnat;
    oifname "wan0" masquerade
  }
}
NFT
ip netns exec "$LAB_LAN" ping -i 0.05 192.0.2.80 > "$LAB_DIR/ping.txt" 2>&1 & LAB_PIDS+=($!)
# seen_from ADDRESS: the running ping is seen from there now, and from nowhere else. answered: its answers come.
seen_from() { lab_in far nft flush set ip seen from; sleep 0.3; [ "$(lab_in far nft list set ip seen from | grep -oE '[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+' | tr '\n' ' ')" = "$1 " ]; }
answered() { local lines; lines=$(wc -l < "$LAB_DIR/ping.txt"); sleep 0.3; [ "$(wc -l < "$LAB_DIR/ping.txt")" -gt $((lines + 2)) ]; }
# The kernel itself ends what is masqueraded when its device or address goes, if a packet comes first; so 0 may be left for us.
ended() { grep -c 'had another way before' "$LAB_DIR/adit.log"; }
expect_within 3 "without Adit it goes out by the WAN" seen_from 198.51.100.2
home
adit_run
expect_within 10 "home is up" tunnel_is home connected
expect_within 3 "the running ping goes over into the tunnel" seen_from 203.0.113.10
expect_within 2 "and is answered" answered
expect "the log says it" adit_log '[0-9]+ connections? had another way before'

before=$(ended)
kill -USR1 "$(cat "$LAB_DIR/server-home.pid")"
expect_within 10 "the server restarts: home is back" adit_status '"name":"home","status":"connected".*"reconnects":1'
expect_within 2 "the ping goes on" answered
expect "nothing was ended, with the address as before" test "$(ended)" -eq "$before"

lab_server_stop home -KILL
home "server 10.9.0.0 255.255.255.0"
expect_within 15 "the server comes back with other addresses" sh -c "ip -n $LAB_GW addr show tun-home | grep -q 10.9.0."
expect_within 3 "the running ping is hidden behind the new one" answered
expect_within 3 "connections were looked at for it" sh -c "[ \$(grep -c 'way before' $LAB_DIR/adit.log) -gt $before ]"
refuse "the old address is gone" sh -c "ip -n $LAB_GW addr | grep -q 10.8.0."

config_section policy tv "list src '192.168.77.10'" "option via 'wan'"
expect "reloaded with a policy" adit_reload
expect_within 3 "the running ping goes out by the WAN" seen_from 198.51.100.2
expect_within 2 "and is answered" answered
before=$(ended)
expect "reloaded with the same" adit_reload
sleep 0.5
expect "nothing was ended" test "$(ended)" -eq "$before"
rm "$LAB_DIR/config/policy-tv"
expect "reloaded without the policy" adit_reload
expect_within 3 "the running ping goes into the tunnel again" seen_from 203.0.113.10
expect "stops in time" adit_stop
expect_within 3 "after the stop it goes out by the WAN" seen_from 198.51.100.2
expect_within 2 "and is answered" answered
