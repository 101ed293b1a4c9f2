# systemd-resolved and resolvconf are told of the tunnel's device and forget it: doubles of their programs, at their fixed paths in a mount
# namespace of adit's own, write down what they are called with. Restored on disconnect, on a stop and after kill -9 (G-07).
. Tests/Namespaces/names.sh
lab_up; lab_pki; names_up
server() {
  lab_server names "port 1194" "proto udp" 'push "redirect-gateway def1"' 'push "dhcp-option DNS 10.8.0.1"' \
    'push "dhcp-option DOMAIN corp.example"'
}
server
mkdir -p "$LAB_DIR/config" "$LAB_DIR/bin"
home_profile "connect-retry 1 1"
for program in resolvectl resolvconf; do
  # One line a call: the arguments, and what came by standard input.
  printf '#!/bin/sh\n{ printf "%%s " %s "$@"; tr "\\n" "|"; echo; } >> %s\n' "$program" "$LAB_DIR/calls" > "$LAB_DIR/bin/$program"
  chmod 755 "$LAB_DIR/bin/$program"
done
# The two directories with the doubles in them over the system's, for one process and its children alone.
cat > "$LAB_DIR/with-doubles" <<'SH'
#!/bin/sh
dir=$(dirname "$0")
mkdir -p "$dir/usr-bin" "$dir/usr-sbin"
cp "$dir/bin/resolvectl" "$dir/usr-bin/"
cp "$dir/bin/resolvconf" "$dir/usr-sbin/"
exec unshare -m sh -c 'mount --make-rprivate / &&
  mount -t overlay overlay -o "lowerdir=$0/usr-bin:/usr/bin" /usr/bin &&
  mount -t overlay overlay -o "lowerdir=$0/usr-sbin:/usr/sbin" /usr/sbin && exec "$@"' "$dir" "$@"
SH
chmod 755 "$LAB_DIR/with-doubles"
adit_start_with_doubles() {
  : > "$LAB_DIR/adit.log"
  "$LAB_DIR/with-doubles" ip netns exec "$LAB_GW" "$ADIT" run --config "$LAB_DIR/config" --state-dir "$LAB_DIR/state" >> "$LAB_DIR/adit.log" 2>&1 &
  ADIT_PID=$!
  LAB_PIDS+=("$ADIT_PID")
}
cleanup() { "$LAB_DIR/with-doubles" ip netns exec "$LAB_GW" "$ADIT" cleanup --state-dir "$LAB_DIR/state"; }
mode() {
  home_config "option kill_switch 'session'" "option dns '$1'"
  : > "$LAB_DIR/calls"
}
called() { grep -qxF -- "$1" "$LAB_DIR/calls"; }

mode resolved
adit_start_with_doubles
expect_within 10 "connected" adit_connected
expect_within 5 "resolved: the servers" called "resolvectl dns tun-home 10.8.0.1 "
expect_within 5 "every name, and the pushed domain" called "resolvectl domain tun-home ~. corp.example "
expect_within 5 "and the default route" called "resolvectl default-route tun-home yes "
expect "noted for a successor" grep -q "^resolved	tun-home$" "$LAB_DIR/state/undo"
expect "down" adit down home
expect_within 5 "reverted when it goes down" called "resolvectl revert tun-home "
expect_within 5 "and no longer noted" sh -c "! grep -q resolved $LAB_DIR/state/undo 2>/dev/null"
# What was asked for outlives the daemon.
expect "up" adit up home
expect "stops in time" adit_stop

mode resolvconf
adit_start_with_doubles
expect_within 10 "connected again" adit_connected
expect_within 5 "resolvconf: a resolv.conf for the device" called "resolvconf -a tun-home nameserver 10.8.0.1|search corp.example|"
expect "stops in time" adit_stop
expect_within 5 "and its end" called "resolvconf -d tun-home "
expect "nothing is noted" test ! -e "$LAB_DIR/state/undo"

mode resolvconf
adit_start_with_doubles
expect_within 10 "connected once more" adit_connected
expect_within 5 "told" called "resolvconf -a tun-home nameserver 10.8.0.1|search corp.example|"
kill -9 "$ADIT_PID"; wait_for 3 eval "! kill -0 $ADIT_PID 2>/dev/null"
expect "cleanup after kill -9" cleanup
expect "takes it back" called "resolvconf -d tun-home "
expect "nothing is noted" test ! -e "$LAB_DIR/state/undo"

# Without the program there is a warning, and the LAN is led to the tunnel's resolver all the same.
names_in_tunnel
mode resolved
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected without resolvectl" adit_connected
expect "the log says what is missing" adit_log "lan: resolvectl is not installed"
expect_within 5 "the tunnel's resolver answers" answers $AT_TUNNEL lan a.example 192.0.2.53
expect "stops in time" adit_stop
rm -rf "$ETC"
