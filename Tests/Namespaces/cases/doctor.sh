# adit doctor: a healthy house is all ok; a foreign drop, a rule in our band, a clash of marks and more are named, with remedies.
lab_up; lab_pki
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
home_profile
home_config "option kill_switch 'session'"
doctor() { report=$(adit doctor --config "$LAB_DIR/config" "$@" 2>&1); }
says() { grep -qE -- "$1" <<< "$report"; }
before=$(network_state)
doctor; expect "a healthy house exits with 0" test $? -eq 0
expect "tun" says '^ok +tun +/dev/net/tun can be opened$'
expect "nft" says '^ok +nft '
expect "the uplink" says '^ok +uplink +IPv4 leaves by wan0 by 198\.51\.100\.1, MTU 1500$'
expect "the server" says '^ok +server +home: 203\.0\.113\.10 is reached by wan0$'
expect "no other table" says '^ok +firewall '
expect "nothing armed" says '^ok +daemon +no daemon runs, and nothing is armed$'
refuse "no problem" says '^problem'
expect "it changed nothing" test "$before" = "$(network_state)"
cp "$ADIT" "$LAB_DIR/adit"; chmod 755 "$LAB_DIR"
lab_in gw setpriv --reuid 65534 --clear-groups "$LAB_DIR/adit" doctor --config "$LAB_DIR/config" 2> /dev/null
expect "without root it is refused with 77" test $? -eq 77

# Another program's firewall, like docker's: nobody may forward but its own bridge.
lab_in gw nft -f - <<'NFT'
table ip filter {
	chain DOCKER-USER {
		counter return
	}
	chain FORWARD {
		type filter hook forward priority filter; policy drop;
		jump DOCKER-USER
		oifname "docker0" ct state established,related accept
		iifname "docker0" accept
	}
}
table ip mangle {
	chain marks {
		type filter hook prerouting priority mangle;
		iifname "lan0" meta mark set 0x1
	}
}
NFT
ip -n "$LAB_GW" rule add priority 845 fwmark 0x100/0x3f00 lookup 100
ip -n "$LAB_GW" rule add priority 5000 fwmark 0x1000000/0xff000000 blackhole
ip -n "$LAB_GW" route add 10.66.0.0/16 dev wan0 table 44001
doctor; expect "trouble exits with 69" test $? -eq 69
expect "the drop, with table and chain" says '^problem +firewall +chain ip filter FORWARD drops what goes from lan0 to tun-home, by its policy; iptables -I DOCKER-USER -i lan0 -o tun-home -j ACCEPT'
expect "the rule in our band" says '^problem +rules +a rule of another program stands in our band 800-899: 845: fwmark 0x100/0x3f00 lookup 100; set .option rule_priority'
expect "the rule that uses our bits, although it only blackholes" says '^problem +marks +a rule of another program uses our bits 0xff000000 of marks: 5000: fwmark 0x1000000/0xff000000'
expect "the chain that overwrites marks" says '^problem +marks +chain ip mangle marks changes bits 0xff000000 of marks'
expect "the route in our table" says '^problem +routes +another program has routes in our table 44001: 10\.66\.0\.0/16'
doctor --json; expect "JSON too exits with 69" test $? -eq 69
expect "and says the same" sh -c "printf '%s' '$(sed "s/'/’/g" <<< "$report")' | grep -q '\"check\":\"firewall\",\"state\":\"problem\"'"

# What doctor says is so: with that drop the tunnel connects and the LAN gets nowhere; the remedy, in that table's own words, opens it.
ip -n "$LAB_GW" rule del priority 845; ip -n "$LAB_GW" rule del priority 5000; ip -n "$LAB_GW" route flush table 44001
lab_in gw nft delete table ip mangle
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected" adit_connected
refuse "the foreign drop holds against our accept" ping_lan 192.0.2.80
doctor; expect "it is named while a daemon runs too" test $? -eq 69
expect "beside a tunnel that is connected" says '^ok +server +home: connected to 203\.0\.113\.10$'
lab_in gw nft insert rule ip filter DOCKER-USER iifname lan0 oifname tun-home accept
lab_in gw nft insert rule ip filter DOCKER-USER iifname tun-home oifname lan0 ct state established,related accept
expect_within 5 "with the remedy the LAN gets through" ping_lan 192.0.2.80
doctor; expect "and doctor is content" test $? -eq 0
lab_server_stop home -KILL
expect "stops in time" adit_stop

# No way out, no profile.
ip -n "$LAB_GW" route del default
ip -n "$LAB_GW" -6 route del default
rm "$LAB_DIR/config/home.ovpn"
doctor; expect "without a way out" test $? -eq 69
expect "it says so" says '^problem +uplink +there is no way out'
expect "and that the configuration has an error" says '^problem +configuration +the configuration has .*home\.ovpn'
