# One datagram of a hundred is lost on the way to the server and on the way back, and three are overtaken by later ones: iperf3 and a
# checksummed transfer both ways come to their end, in one session, and Adit takes no late packet for a replay or a forgery.
lab_up; lab_pki
. Tests/Namespaces/house.sh
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
profile home "remote 203.0.113.1 1194 udp"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
ip netns exec "$LAB_ISP" perl Tests/Namespaces/relay.pl 203.0.113.1 1194 203.0.113.10 1194 0 1 3 7 > "$LAB_DIR/relay.log" 2>&1 & relay=$!; LAB_PIDS+=($relay)
expect_within 5 "the relay listens" grep -q listening "$LAB_DIR/relay.log"
lab_in far perl Tests/Namespaces/bulk.pl serve 7000 > "$LAB_DIR/bulk.log" 2>&1 & LAB_PIDS+=($!)
expect_within 5 "the far host listens" grep -q listening "$LAB_DIR/bulk.log"
listen far 5201
adit_run
# A lost packet of the handshake is repeated after two seconds, and its repetition may be lost too.
expect_within 20 "connected" adit_connected
expect_within 10 "the LAN gets through" ping_lan 192.0.2.80

# through NAME ARGUMENT...: iperf3 for five seconds; what it says goes to NAME.json.
through() { local name=$1; shift; lab_in lan timeout 20 iperf3 -c 192.0.2.80 -p 5201 -t 5 -J "$@" > "$LAB_DIR/$name.json" 2>&1; }
mbit() { perl -MJSON::PP -e 'local $/; my $r = decode_json(<STDIN>); print int($r->{end}{sum_received}{bits_per_second} / 1e6)' < "$LAB_DIR/$1.json" 2> /dev/null; }
expect "TCP up lasts to its end" through up
expect "TCP down lasts to its end" through down -R
expect "a transfer comes back whole: every byte up and down again" lab_in lan perl Tests/Namespaces/bulk.pl run 192.0.2.80 7000 8000000
UP=$(mbit up) DOWN=$(mbit down)
# On any machine it is tens of Mbit/s; what stalls at every loss until its timer rings would carry less than one.
expect "both directions carried something ($UP and $DOWN Mbit/s)" test "${UP:-0}" -ge 10 -a "${DOWN:-0}" -ge 10
expect "one session all the while" adit_status '"status":"connected".*"handshakes":1,"reconnects":0'
expect "one server, one client" test "$(grep -c 'Peer Connection Initiated' "$LAB_DIR/server-home.log")" -eq 1
# The window is wider than what the relay lets overtake: none is late for it, and no other fault is seen in them.
DROPS=$(adit status home --json | grep -oE '"drops":\{[^}]*\}')
expect "no packet was taken for a replay, a forgery or anything else that is dropped (${DROPS:-no answer})" test "$DROPS" = '"drops":{}'
refuse "nor did the server find fault with one of ours" grep -qE 'Authenticate/Decrypt packet error|TLS Error|Inactivity timeout' "$LAB_DIR/server-home.log"
expect "stops in time" adit_stop

kill -TERM $relay
expect_within 5 "the relay says what it did" grep -q passed "$LAB_DIR/relay.log"
echo "  measured: $UP Mbit/s up and $DOWN Mbit/s down; $(tail -1 "$LAB_DIR/relay.log")"
# relayed WAY: 1 when between 0.7 and 1.3 % of them were lost and at least 1 % overtaken.
relayed() {
  sed -nE "s/.*$1: ([0-9]+) passed, ([0-9]+) lost, ([0-9]+) overtaken.*/\1 \2 \3/p" "$LAB_DIR/relay.log" |
    awk '{ sent = $1 + $2; fits = sent > 5000 && $2 > 0.007 * sent && $2 < 0.013 * sent && $3 > 0.01 * sent } END { exit !fits }'
}
expect "it lost one of a hundred on the way up, and let others be overtaken" relayed up
expect "and on the way down" relayed down
