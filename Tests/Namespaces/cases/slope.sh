# Five minutes of traffic both ways: neither memory nor descriptors grow.
# limit: 400 s
. Tests/Namespaces/soak.sh
lab_up; lab_pki
. Tests/Namespaces/house.sh
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
profile home "remote 203.0.113.10 1194 udp"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
listen far 5201
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
engine=$(engine_pid)
SOAK_BEGAN=$SECONDS
lab_in lan iperf3 -c 192.0.2.80 -p 5201 --bidir -b 50M -t 300 > "$LAB_DIR/iperf" 2>&1 & load=$!; LAB_PIDS+=($load)
while kill -0 $load 2> /dev/null; do soak_sample; sleep 5; done
wait $load; expect "the load came to its end" test $? -eq 0
growth=$(soak_growth 2) descriptors=$(soak_growth 3)
echo "  measured: $(wc -l < "$LAB_DIR/samples") samples: memory $(tail -1 "$LAB_DIR/samples" | cut -d' ' -f2) KiB, $growth KiB more in the last third than in the second, slope $(soak_slope 2) KiB/min; descriptors $descriptors more"
expect "it was looked at often enough" test "$(wc -l < "$LAB_DIR/samples")" -gt 30
expect "memory does not grow ($growth KiB of at most 256)" test "$growth" -le 256
expect "descriptors do not grow" test "$descriptors" -le 0
expect "all the while the same engine" test "$engine" = "$(engine_pid)"
expect "and the same session" adit_status '"status":"connected".*"handshakes":1,"reconnects":0'
expect "stops in time" adit_stop
