# adit plan: the closed network as text, as a difference from the system, and beside a daemon; it changes nothing itself.
lab_up; lab_pki
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
home_profile
home_config "option kill_switch 'session'"
plan() { adit plan --config "$LAB_DIR/config" "$@" 2> "$LAB_DIR/plan.err"; }
says() { grep -qE -- "$1" <<< "$text"; }
before=$(network_state)
text=$(plan)
expect "plan succeeds" test $? -eq 0
expect "it says nothing else" test ! -s "$LAB_DIR/plan.err"
expect "the device" says '^link tun-home alias adit:home mtu 1500'
expect "the refusal in the tunnel's table" says '^route unreachable default table 44001 '
expect "the LAN's rule" says '^rule v4 [0-9]+: iif lan0 lookup 44001$'
expect "the sysctls" says '^sysctl net/ipv4/ip_forward=1$'
expect "the nft table, which nft takes" sh -c "sed -n '/^table inet adit {\$/,\$p' | ip netns exec $LAB_GW nft -c -f -" <<< "$text"
text=$(plan --diff)
expect "the difference: all comes" says '^\+ link tun-home alias adit:home'
expect "routes" says '^\+ route unreachable default table 44001 '
expect "the nft table" says '^\+ nft table inet adit$'
refuse "nothing goes" says '^- '
refuse "no line without its sign" says '^[^+~]'
expect "the same for the one tunnel" test "$text" = "$(plan --diff home)"
plan nosuch; expect "an unknown name is refused with 65" test $? -eq 65
adit plan --config "$LAB_DIR/nowhere" 2> /dev/null; expect "no configuration is refused with 78" test $? -eq 78
cp "$ADIT" "$LAB_DIR/adit"; chmod 755 "$LAB_DIR"
lab_in gw setpriv --reuid 65534 --clear-groups "$LAB_DIR/adit" plan --config "$LAB_DIR/config" 2> /dev/null
expect "without root it is refused with 77" test $? -eq 77
expect "planning changed nothing" test "$before" = "$(network_state)"
adit_start connect "$LAB_DIR/config/home.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
connected=$(network_state)
text=$(plan --diff)
expect "beside a daemon: what the push brought would go" says '^- address 10\.8\.0\.[0-9]+'
refuse "what stands does not come again" says '^\+'
expect "it says that this is before any push" grep -q "a daemon runs here; this is the plan before any server has pushed" "$LAB_DIR/plan.err"
expect "the running network is as it was" test "$connected" = "$(network_state)"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
text=$(plan --diff)
expect "after the stop all would come again" says '^\+ link tun-home'
# A daemon whose server says nothing: just what the plan of a start says.
kill "$(cat "$LAB_DIR/server-home.pid")" 2> /dev/null
adit_start run --config "$LAB_DIR/config"
difference() { text=$(plan --diff); says "$1"; }
expect_within 5 "the text that stands is known by its digest" difference '^nothing to do$'
expect "stops in time" adit_stop
