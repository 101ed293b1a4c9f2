# SIGHUP: what did not change does not blink, what is gone goes, and no mistake in a file opens the LAN.
lab_up; lab_pki
mkdir -p "$LAB_DIR/config"
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_server work "port 1195" "proto udp" "server 10.9.0.0 255.255.255.0"
lab_profile "$LAB_DIR/config/home.ovpn" "remote 203.0.113.10 1194 udp"
lab_profile "$LAB_DIR/config/work.ovpn" "remote 203.0.113.10 1195 udp"
tunnel() { printf "config tunnel '%s'\n\toption profile '%s.ovpn'\n" "$1" "$1" > "$LAB_DIR/config/$1"; [ $# -lt 2 ] || printf "\t%s\n" "$2" >> "$LAB_DIR/config/$1"; }
gateway() { printf "config gateway 'lan'\n\tlist tunnel 'home'\n\tlist lan '%s'\n" "$1" > "$LAB_DIR/config/gateway"; }
reload() { # WORDS: what the log says about it
  local lines; lines=$(wc -l < "$LAB_DIR/adit.log")
  kill -HUP "$ADIT_PID"
  expect_within 5 "the configuration is read again${1:+: $1}" sh -c "tail -n +$((lines + 1)) $LAB_DIR/adit.log | grep -q 'reading the configuration again' && tail -n +$((lines + 1)) $LAB_DIR/adit.log | grep -qE '${1:-.}'"
}
tunnel home; gateway lan0
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
engine=$(engine_pid)

tunnel work
reload
expect_within 10 "the new tunnel connects" adit_status '"name":"work","status":"connected"'
expect "the old one did not blink" adit_status '"name":"home","status":"connected".*"handshakes":1,"reconnects":0.*"name":"work"'
expect "its engine is the same" kill -0 "$engine"
expect "status of one tunnel" sh -c "ip netns exec $LAB_GW $ADIT status work --json --state-dir $LAB_DIR/state | grep -q '10.9.0.2'"

tunnel work "option device 'tun-other'"
reload
expect_within 5 "another device name: the old device goes" sh -c "! ip -n $LAB_GW link show tun-work"
expect_within 10 "and the tunnel comes back on the new one" adit_status '"name":"work","status":"connected".*"device":"tun-other"'
tunnel work "option enabled '0'"
reload
expect_within 5 "switched off" adit_status '"name":"work","status":"disconnected"'
rm "$LAB_DIR/config/work"
reload
expect_within 5 "a removed tunnel's device is gone" sh -c "! ip -n $LAB_GW -o link show | grep -qE 'tun-(work|other)'"
expect "the LAN gets through" ping_lan 192.0.2.80

gateway 'lan/0'
reload 'stays closed'
ln -s /nowhere "$LAB_DIR/config/gone"; rm "$LAB_DIR/config/gateway"
reload 'the one in use stays'
rm "$LAB_DIR/config/gone"; printf "config gateway 'lan'\n\tlist tunnel 'hoem'\n\tlist lan 'lan0'\n" > "$LAB_DIR/config/gateway"
reload 'stays closed'
expect "down" adit down home
expect_within 5 "is down" adit_status '"status":"disconnected"'
refuse "after all these mistakes the LAN is closed" ping_lan 192.0.2.80
gateway lan0
reload
expect "up" adit up home
expect_within 10 "connected again" adit_status '"name":"home","status":"connected"'
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
tunnel home "option enabled '0'"
reload
expect_within 5 "the gateway's own tunnel is switched off" adit_status '"status":"disconnected"'
refuse "and its LAN is closed" ping_lan 192.0.2.80
tunnel home
reload
expect_within 10 "switched on again" adit_status '"name":"home","status":"connected"'
expect_within 5 "only one engine runs" engines_running 1
expect_within 5 "no descriptors are left over" descriptors_below 24
expect "stops in time" adit_stop
