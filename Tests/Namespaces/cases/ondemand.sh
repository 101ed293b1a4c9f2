# `config ondemand`: a tunnel comes and goes by uplink, subnet and who answers there; the owner's word goes before.
lab_up; lab_pki; lab_second_uplink
. Tests/Namespaces/house.sh
ip -n "$LAB_GW" route replace default via 198.51.100.1 dev wan0 metric 10; ip -n "$LAB_GW" route del default metric 0 2> /dev/null
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
profile home "remote 203.0.113.10 1194 udp" "connect-timeout 3"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'"
rules() { printf '%s\n' "$@" > "$LAB_DIR/config/demand"; }
resting() { adit_status "\"status\":\"disconnected\".*\"demand\":\"disconnect by [^\"]*$1"; }
refused_lan() { lab_in lan ping -c 1 -W 1 192.0.2.80 2>&1 | grep -qiE 'prohibited|unreachable|filtered'; }

rules "config ondemand" "  option action 'disconnect'" "  list uplink 'wan1'" \
  "config ondemand" "  option action 'connect'" "  list uplink 'wan*'" "  list kind 'wired'"
expect "nothing is wrong with it" sh -c "$ADIT check --config $LAB_DIR/config > $LAB_DIR/said 2>&1 && ! grep -q 'not yet acted on' $LAB_DIR/said"
adit_run
expect_within 12 "by the first uplink it connects" adit_connected
ip -n "$LAB_GW" route del default dev wan0
expect_within 10 "by the second it does not" resting 'demand:1: the uplink is wan1'
expect_within 3 "the kill switch holds" refused_lan
expect "the owner's word goes before" adit up home
expect_within 10 "connected" adit_connected
expect "resume: the rules again" adit resume home
expect_within 8 "down again" resting 'wan1'
ip -n "$LAB_GW" route add default via 198.51.100.1 dev wan0 metric 10
expect_within 12 "by the first again" adit_connected
expect "the owner's down" adit down home
expect_within 5 "is down" adit_status '"status":"disconnected".*"override":\{"action":"down"'
expect "resume" adit resume home
expect_within 10 "and up" adit_connected

# Who answers there: a port of the ISP's router tells this line.
rules "config ondemand" "  option action 'disconnect'" "  list reachable '198.51.100.1:8443'" \
  "config ondemand" "  option action 'disconnect'" "  list subnet '198.51.101.0/24'" \
  "config ondemand" "  option action 'ignore'" "  list reachable '198.51.100.99'"
adit_reload
expect_within 10 "nobody answers: it stays" adit_connected
ip -n "$LAB_GW" route del default dev wan0
expect_within 12 "an address of the other line: down" resting 'its address is 198.51.101.2'
ip netns exec "$LAB_ISP" iperf3 -s -B 198.51.100.1 -p 8443 > /dev/null 2>&1 & LAB_PIDS+=($!)
wait_for 3 sh -c "ip netns exec $LAB_ISP ss -tln | grep -q ':8443 '"
ip -n "$LAB_GW" route add default via 198.51.100.1 dev wan0 metric 10
expect_within 12 "a port that answers: down" resting '198.51.100.1:8443 answers'
rules "config ondemand" "  option action 'connect'"
adit_reload
expect_within 10 "a rule for always" adit_connected
expect "stops in time" adit_stop
