# systemd's notify protocol with a socket of our own for an init system, and files that come late (S-06).
lab_up; lab_pki
mkdir -p "$LAB_DIR/config" "$LAB_DIR/flash"
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
# The profile and the password lie on a flash that is not mounted yet.
lab_profile "$LAB_DIR/home.ovpn" "remote 203.0.113.10 1194 udp" "auth-user-pass home.auth" "connect-timeout 5"
# In the daemon's own mount namespace, which `ip netns exec` made.
there() { nsenter -t "$ADIT_PID" -m "$@"; }
cat > "$LAB_DIR/config/gateway" <<UCI
config tunnel 'home'
	option profile '$LAB_DIR/flash/home.ovpn'

config gateway 'lan'
	list tunnel 'home'
	list lan 'lan0'
	option kill_switch 'session'
UCI
# What is heard, one datagram a line, its lines joined by `|`.
ear() { # SOCKET
  # An abstract name belongs to a network namespace.
  ip netns exec "$LAB_GW" perl -MSocket -e '
    $| = 1;
    socket(my $ear, AF_UNIX, SOCK_DGRAM, 0) or die;
    (my $name = $ARGV[0]) =~ s/^@/\0/;
    bind($ear, pack("S a*", AF_UNIX, $name)) or die "bind: $!";
    print "listening\n";
    while (defined recv($ear, my $text, 4096, 0)) { $text =~ tr/\n/|/; print "$text\n"; }
  ' "$1" > "$LAB_DIR/heard" &
  LAB_PIDS+=($!)
  wait_for 5 grep -q listening "$LAB_DIR/heard"
}
heard() { grep -qE "$1" "$LAB_DIR/heard"; }
order_of() { grep -oE 'READY=1|RELOADING=1\|MONOTONIC_USEC=[0-9]+|STOPPING=1' "$LAB_DIR/heard" | sed 's/|.*//' | tr '\n' ' '; }

ear "@$LAB-notify"
export NOTIFY_SOCKET=@$LAB-notify WATCHDOG_USEC=1000000
adit_start run --config "$LAB_DIR/config"
unset NOTIFY_SOCKET WATCHDOG_USEC
expect_within 10 "it says that it is ready" heard 'READY=1'
expect "requests are answered by then" adit_status '"status":"invalid"'
expect "and the network stands" lab_in gw nft list table inet adit
expect "the status says why nothing is up" heard 'STATUS=home: invalid'
refuse "the LAN is closed meanwhile" ping_lan 192.0.2.80
lives() { [ "$(grep -c 'WATCHDOG=1' "$LAB_DIR/heard")" -ge "$1" ]; }
expect_within 5 "signs of life come at half of the time" lives 5
kill -STOP "$ADIT_PID"
silent_from=$(wc -l < "$LAB_DIR/heard"); sleep 1.2
expect "none while the loop hangs" test "$(wc -l < "$LAB_DIR/heard")" -eq "$silent_from"
kill -CONT "$ADIT_PID"

there mount -t tmpfs -o size=1m,mode=755 tmpfs "$LAB_DIR/flash"
there sh -c "printf 'user\nword\n' > $LAB_DIR/flash/home.auth.new; chmod 600 $LAB_DIR/flash/home.auth.new"
there cp "$LAB_DIR/home.ovpn" "$LAB_DIR/flash/home.ovpn"
expect_within 8 "the mounted profile is read, its password is still missing" adit_log 'home.auth cannot be read|home.auth'
adit_status '"status":"invalid"'; expect "so nothing is up yet" test $? -eq 0
there mv "$LAB_DIR/flash/home.auth.new" "$LAB_DIR/flash/home.auth"
expect_within 15 "S-06: the tunnel comes up by itself when everything is there" adit_connected
expect_within 5 "the status says so" heard 'STATUS=home: connected'
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
found_twice() { [ "$(order_of)" = "READY=1 RELOADING=1 READY=1 RELOADING=1 READY=1 " ]; }
expect_within 10 "each find was a reload" found_twice
reloads=$(grep -c RELOADING=1 "$LAB_DIR/heard")
kill -HUP "$ADIT_PID"
ended() { [ "$(grep -c RELOADING=1 "$LAB_DIR/heard")" -gt "$reloads" ] && order_of | grep -q 'READY=1 $'; }
expect_within 15 "a reload begins and ends" ended
expect "the session is the same" adit_status '"handshakes":1,"reconnects":0'
for pid in $(engine_pids); do
  refuse "no engine has the variables" sh -c "tr '\0' '\n' < /proc/$pid/environ | grep -E 'NOTIFY|WATCHDOG'"
done
expect "stops in time" adit_stop
expect "and says that it stops" sh -c "grep -q STOPPING=1 $LAB_DIR/heard"
