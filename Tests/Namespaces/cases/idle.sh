# A tunnel at rest wakes neither process for more than its keepalive: a router's processor sleeps.
lab_up; lab_pki
. Tests/Namespaces/house.sh
lab_server home "port 1194" "proto udp" "keepalive 10 60" 'push "redirect-gateway def1"'
profile home "remote 203.0.113.10 1194 udp"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80

# wakes PID: how often its threads have waited for something so far.
wakes() { cat /proc/"$1"/task/*/status | awk '/^voluntary_ctxt_switches/ { sum += $2 } END { print sum }'; }
# Each end sends a ping every ten seconds, and each costs the engine a wake-up: seven in this time. The daemon looks now and then at
# what changes without an event, and whether the engine answers: four, and one of the engine.
rests() {
  local engine daemon; engine=$(wakes "$ENGINE") daemon=$(wakes "$ADIT_PID")
  sleep 30
  engine=$(($(wakes "$ENGINE") - engine)) daemon=$(($(wakes "$ADIT_PID") - daemon))
  MEASURED="engine $engine, daemon $daemon"
  echo "  woken in 30 s: $MEASURED"
  [ "$engine" -le 9 ] && [ "$daemon" -le 4 ]
}
ENGINE=$(engine_pid)
# Until the sizes of the way are measured and the last look at a young house is over.
for try in 1 2 3 4; do rests && break; done
echo "  measured: woken in 30 s at rest: $MEASURED"
expect "at rest neither is woken for more than the keepalive" test "$try" -lt 4
expect "it is the same engine, and it answers" adit_status '"status":"connected".*"handshakes":1,"reconnects":0'
expect "the LAN gets through" ping_lan 192.0.2.80
expect "stops in time" adit_stop
