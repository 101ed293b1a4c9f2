# A configuration directory: run, status, down, up, reconnect, reload, a second start (S-01), a broken key.
lab_up; lab_pki
mkdir -p "$LAB_DIR/config"
lab_server home "port 1194" "proto udp" "tls-crypt $LAB_DIR/pki/ta.key" 'push "redirect-gateway def1"' 'push "dhcp-option DNS 10.8.0.1"'
lab_profile "$LAB_DIR/config/home.ovpn" "remote 203.0.113.10 1194 udp" "tls-crypt keys/ta.key"
mkdir "$LAB_DIR/config/keys"; cp "$LAB_DIR/pki/ta.key" "$LAB_DIR/config/keys/ta.key"; chmod 600 "$LAB_DIR/config/keys/ta.key"
home_config "option kill_switch 'session'"
expect "check finds nothing wrong" adit check --config "$LAB_DIR/config"
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "status for people" sh -c "ip netns exec $LAB_GW $ADIT status --state-dir $LAB_DIR/state | grep -qi 'connected'"
# What is not there is null, and so is what nobody has asked for (action, demand, remote, until).
nulls=$(adit status --json | grep -oE '"[a-z0-9_]+":null' | tr -d '":' | sed 's/null$//' | sort | tr '\n' ' ')
expect "nothing else is null than known ($nulls)" test "$nulls" = "action demand gateway6 last_error layer open_until remote until user "
expect "DNS of the server is known" adit_status '"dns":\["10\.8\.0\.1"\]'
ip netns exec "$LAB_GW" "$ADIT" run --config "$LAB_DIR/config" --state-dir "$LAB_DIR/other-state" > "$LAB_DIR/second.log" 2>&1
expect "a second start in the same network is refused with 69" test $? -eq 69
expect "down" adit down home
expect_within 5 "is down" adit_status '"status":"disconnected"'
refuse "down is closed" ping_lan 192.0.2.80
expect "up" adit up home
expect_within 10 "connected again" adit_connected
expect "reconnect" adit reconnect home
expect_within 10 "connected after reconnect" adit_status '"status":"connected".*"reconnects":[1-9]'
expect "an unknown name is refused" sh -c "ip netns exec $LAB_GW $ADIT up nosuch --state-dir $LAB_DIR/state; [ \$? -ne 0 ]"
printf "config gateway 'other'\n\toption kill_swich 'on'\n" >> "$LAB_DIR/config/gateway"
expect "check names the typo with line and column" sh -c "$ADIT check --config $LAB_DIR/config 2>&1 | grep -qE 'gateway:[0-9]+:[0-9]+: error: .*kill_swich.*kill_switch'"
expect "stops in time" adit_stop
expect "the exit code is 0" sh -c "true"
