# Reconnects, engines that are killed, and questions of people leave no descriptor and no process behind.
lab_up; lab_pki
lab_server often "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/often.ovpn" "remote 203.0.113.10 1194 udp"
adit_start connect "$LAB_DIR/often.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
count() { ls "/proc/$1/fd" | wc -l; }
connected_times() { adit_status "\"status\":\"connected\".*\"handshakes\":$1,"; }
adit reconnect often; wait_for 10 connected_times 2
daemon=$(count "$ADIT_PID") engine=$(count "$(engine_pid)")
for turn in 3 4 5 6 7 8; do
  adit reconnect often
  wait_for 10 connected_times "$turn" || not_ok "connection $turn"
done
# nft may still run, with descriptors of its own.
holds() { [ "$(count "$1")" -eq "$2" ]; }
expect_within 5 "the daemon holds as many descriptors as before" holds "$ADIT_PID" "$daemon"
expect_within 5 "and so does the engine" holds "$(engine_pid)" "$engine"
for turn in 9 10; do
  kill -9 "$(engine_pid)"
  wait_for 20 connected_times "$turn" || not_ok "connection $turn"
done
expect_within 5 "as many after engines were killed" holds "$ADIT_PID" "$daemon"
expect_within 5 "one engine runs, and no dead one waits" engines_running 1
# Clients that say nothing: the next one is served all the same, when their time is over.
perl -MIO::Socket::UNIX -e '@held = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) } 1 .. 20; sleep 8' "$LAB_DIR/state/control.sock" &
LAB_PIDS+=($!)
wait_for 2 sh -c "[ \$(ls /proc/$ADIT_PID/fd | wc -l) -ge $((daemon + 16)) ]"
before=$(awk '{print $14 + $15}' "/proc/$ADIT_PID/stat")
expect_within 8 "status answers when the silent ones were shown the door" adit_connected
after=$(awk '{print $14 + $15}' "/proc/$ADIT_PID/stat")
expect "and nothing span meanwhile ($((after - before)) ticks)" test $((after - before)) -lt 100
expect "stops in time" adit_stop
