# the same where every answer takes 100 ms.
. Tests/Namespaces/outages.sh
outage_house
outage_server
outage_config "203.0.113.1 1194 udp"
ip netns exec "$LAB_ISP" perl Tests/Namespaces/relay.pl 203.0.113.1 1194 203.0.113.10 1194 0.05 > "$LAB_DIR/relay" 2>&1 & LAB_PIDS+=($!)
wait_for 3 grep -q listening "$LAB_DIR/relay"
outage_begin
expect_within 5 "an answer takes 100 ms" sh -c "ip netns exec $LAB_LAN ping -c 1 -W 2 192.0.2.80 | grep -qE 'time=1[0-4][0-9]'"
before_event; default_moves 1
outage 500 "100 ms away: the default route moves to the second uplink"
same_session 1 "by the second uplink"
before_event; default_moves 0
outage 500 "100 ms away: it moves back to the first"
same_session 1 "by the first uplink"
one_uplink
before_event; address_changes 2 50
outage 500 "100 ms away: the ISP gives another address"
same_session 1 "another address"
outage_end
