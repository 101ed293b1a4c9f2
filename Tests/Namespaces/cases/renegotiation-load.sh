# Ten times new keys under full load in both directions: one session throughout, nothing dropped in bursts, and neither pings nor the
# control channel starve. The server asks for keys every four seconds and gives up a client that is silent for four.
lab_up; lab_pki
. Tests/Namespaces/house.sh
lab_server load "port 1194" "proto udp" "tls-crypt $LAB_DIR/pki/ta.key" "reneg-sec 4" "keepalive 1 4" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/load.ovpn" "remote 203.0.113.10 1194 udp" "reneg-sec 0"
lab_inline tls-crypt "$LAB_DIR/pki/ta.key" >> "$LAB_DIR/load.ovpn"
listen far 5201
adit_start connect "$LAB_DIR/load.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
renegotiations() { adit status --json 2> /dev/null | grep -oE '"renegotiations":[0-9]+' | head -1 | cut -d: -f2; }
drops_of() { adit status --json 2> /dev/null | grep -oE "\"$1\":[0-9]+" | head -1 | cut -d: -f2; }
begun=$(renegotiations)
lab_in lan timeout 70 iperf3 -c 192.0.2.80 -p 5201 --bidir -t 50 -J > "$LAB_DIR/iperf.json" 2>&1 & load=$!; LAB_PIDS+=($load)
lab_in lan ping -i 0.2 -W 2 -w 48 -q 192.0.2.80 > "$LAB_DIR/ping.log" 2>&1 & pinger=$!; LAB_PIDS+=($pinger)
expect "the load lasts to its end" wait "$load"
wait "$pinger"
expect "ten times new keys under load" test "$(renegotiations)" -ge $((begun + 10))
expect "the same session all the while" adit_status '"handshakes":1,'
expect "one server, one client" test "$(grep -c 'Peer Connection Initiated' "$LAB_DIR/server-load.log")" -eq 1
refuse "the client was never taken for gone" grep -qE 'Inactivity timeout|TLS Error|Authenticate/Decrypt packet error' "$LAB_DIR/server-load.log"
# Old keys live on beside the new: what comes under either is taken.
for drop in data_unknown_key data_bad_tag data_no_key data_ids_exhausted; do
  expect "no burst of $drop ($(drops_of $drop))" test "$(n=$(drops_of $drop); echo "${n:-0}")" -le 20
done
# Full queues drop a ping now and then; a pause of the tunnel would drop many.
LOSS=$(grep -oE '[0-9.]+% packet loss' "$LAB_DIR/ping.log" | cut -d% -f1)
expect "pings beside the load get through ($LOSS % lost)" awk -v loss="${LOSS:-100}" 'BEGIN { exit !(loss < 10) }'
rate() { perl -MJSON::PP -e 'local $/; my $r = decode_json(<STDIN>); print int($r->{end}{$ARGV[0]}{bits_per_second} / 1e6)' "$1" < "$LAB_DIR/iperf.json" 2> /dev/null; }
UP=$(rate sum_received) DOWN=$(rate sum_received_bidir_reverse)
echo "  measured: $UP Mbit/s up and $DOWN Mbit/s down at once, $(renegotiations) renegotiations, $LOSS % of the pings lost"
expect "both directions carried something" test "${UP:-0}" -gt 5 -a "${DOWN:-0}" -gt 5
expect_within 5 "and when the load is over, the tunnel is as before" ping_lan 192.0.2.80 5
expect "stops in time" adit_stop
