# R-09: a router whose clock says 1970, and is set later. Adit is told another time by the kernel (wallclock.c); the machine's clock, the
# server's and everybody else's stays. What a real step does besides, waking the daemon, here the questions for the status do.
lab_up; lab_pki
"$(command -v clang || command -v cc)" -O1 -o "$LAB_DIR/wallclock" "$ROOT/Tests/Namespaces/wallclock.c" || not_ok "wallclock is built"
adit_at() { # OFFSET: adit runs with a clock that is off by so many seconds.
  clock_off "$1"
  : > "$LAB_DIR/adit.log"
  ip netns exec "$LAB_GW" "$LAB_DIR/wallclock" "$LAB_DIR/offset" "$ADIT" run --config "$LAB_DIR/config" --state-dir "$LAB_DIR/state" >> "$LAB_DIR/adit.log" 2>&1 &
  ADIT_PID=$!
  LAB_PIDS+=("$ADIT_PID")
}
clock_off() { echo "$1" > "$LAB_DIR/offset.new"; mv "$LAB_DIR/offset.new" "$LAB_DIR/offset"; }
# Looks wake the daemon, as a clock that is set does by itself.
clock_seen() { adit_status . && adit_log "$1"; }
config() { # LINE...: further options of the tunnel
  home_config "option scope 'all'"
  sed -i "s/^\toption profile 'home.ovpn'$/&$(printf '\\n\\t%s' "$@")/" "$LAB_DIR/config/gateway"
}
asks_time() { # NS ADDRESS: a question to a time server.
  lab_in "$1" timeout 2 bash -c "echo time > /dev/udp/$2/123" 2> /dev/null || true
}
sees_time() { tcpdump -n -r "$LAB_DIR/time.pcap" 2> /dev/null | grep -q "$1"; }
unset=$((-$(date +%s)))
day=86400
lab_server home "port 1194" "proto udp" "keepalive 10 60" 'push "redirect-gateway def1"' 'push "route-ipv6 2000::/3"' "server-ipv6 fd00:8::/64"
home_profile
lab_capture isp gw0 "$LAB_DIR/time.pcap" "udp dst port 123"

# The certificates were made today, later than a file of yesterday proves.
config
adit_at "$unset"
expect_within 5 "the log says so" adit_log 'the clock is not set: it says 1970-01-01'
expect_within 10 "a certificate of the future is one" adit_status '"code":"tls_certificate_not_yet_valid".*"action":"waiting for the clock"'
asks_time gw 192.0.2.80; asks_time gw 2001:db8:80::80; asks_time lan 192.0.2.81; asks_time lan 2001:db8:80::81
expect_within 3 "the router asks for the time outside" sees_time 192.0.2.80.123
expect_within 3 "by IPv6 too" sees_time 2001:db8:80::80.123
clock_off 0
expect_within 5 "the clock is set" clock_seen 'the clock was set: it is 20'
expect_within 3 "connected at once" adit_connected
refuse "the exception is gone" sh -c "ip -n $LAB_GW rule show | grep -q 'dport 123' || ip netns exec $LAB_GW nft list table inet adit | grep -q 'dport 123'"
expect "stops in time" adit_stop

# A file of the day after tomorrow proves that they are valid.
touch -d '+3 days' "$LAB_DIR/config/home.ovpn"
adit_at "$unset"
expect_within 10 "connected while the clock is unset, at the floor" adit_connected
asks_time gw 192.0.2.82; asks_time lan 192.0.2.81
expect_within 3 "the router still asks outside" sees_time 192.0.2.82.123
clock_off $((3 * day))
expect_within 5 "the clock is set" clock_seen 'the clock was set'
expect_within 10 "the session verifies the server anew" adit_status '"renegotiations":1'
expect "it is the same session" adit_status '"status":"connected".*"handshakes":1,"reconnects":0'
clock_off $((3 * day + 7200))
expect_within 5 "a step is a step" clock_seen 'somebody set the clock by 7[12][0-9][0-9] s'
clock_off $((3 * day))
expect_within 5 "and back" clock_seen 'somebody set the clock by -7[12][0-9][0-9] s'
expect "nothing came of it" adit_status '"status":"connected".*"handshakes":1,"reconnects":0,"roams":0,"renegotiations":1'
expect "stops in time" adit_stop

config "option clock_policy 'strict'"
lines=$(wc -l < "$LAB_DIR/server-home.log")
adit_at "$unset"
expect_within 5 "strict: it waits" adit_status '"code":"tls_certificate_not_yet_valid".*"action":"waiting for the clock"'
expect "the server heard nothing" sh -c "! tail -n +$((lines + 1)) $LAB_DIR/server-home.log | grep -q 'Initial packet'"
clock_off $((3 * day))
expect_within 5 "the clock is set" clock_seen 'the clock was set'
expect_within 3 "connected at once" adit_connected
expect "stops in time" adit_stop
lab_capture_end "$LAB_DIR/time.pcap"
refuse "the LAN never asked outside for the time" sh -c "tcpdump -n -r $LAB_DIR/time.pcap 2> /dev/null | grep -qE '192.0.2.81|80::81'"
