# C-3: the second server serves while the first is away; the first is returned to beside it, with next to no loss and no clear packet.
. Tests/Namespaces/switchover.sh
two_servers; second; two_remotes
before=$(network_state)
count_exits
# What a predecessor left.
ip -n "$LAB_GW" tuntap add tun-home.1 mode tun; ip -n "$LAB_GW" link set tun-home.1 alias adit:home
leak_watch; leak_control lan
leak_watch
adit_run
expect_within 20 "the first is away: the second serves" serves 203.0.114.10
expect "a spare device that was left is gone" one_device
expect "the LAN leaves by the second" exits_by lan 203.0.114.10
handshakes=$(status_number handshakes)
# A transfer that stands, and one that waits.
listen far 7001
ip netns exec "$LAB_LAN" iperf3 -c 192.0.2.80 -p 7001 -b 4M -t 60 > "$LAB_DIR/transfer" 2>&1 & TRANSFER=$!; LAB_PIDS+=($TRANSFER)
expect_within 5 "a TCP transfer of the LAN host runs" sh -c "ip netns exec $LAB_LAN ss -tn state established | grep -q :7001"
expect_within 20 "the first is tried beside it, in vain" adit_log '203.0.113.10:1194 does not take over \(.*\); all stays as it is, and again in 6 s'
expect "and that cost nothing" serves 203.0.114.10
flood_begin lan 192.0.2.80
watch_routes
first
expect_within 45 "the first is back: it serves" serves 203.0.113.10
expect_within 5 "the LAN leaves by the first" exits_by lan 203.0.113.10
expect_within 10 "the session before has left" one_device
flood_end
expect "going back cost at most 1 of $SENT pings ($LOST)" test "$LOST" -le 1
expect "the table of the tunnel was never without a way" never_without_a_way
expect "the server was told goodbye" grep -q 'SIGTERM\|exit-notify\|remote-exit' "$LAB_DIR/server-second.log"
# Behind another address inside its connection cannot live on: the LAN's host is reset, and does not wait.
expect_within 10 "the transfer, whose address inside is another now, has ended" eval "! kill -0 $TRANSFER 2> /dev/null"
expect "one handshake more, no reconnect" test "$(status_number handshakes) $(status_number reconnects)" = "$((handshakes + 1)) 0"
expect "it is on the spare device" adit_status '"device":"tun-home.1"'
expect "the resolver is the first server's" sh -c "ip -n $LAB_GW route get 10.8.0.1 from 192.168.77.10 iif lan0 | grep -q 'tun-home\.1'"
expect "explain knows the device" sh -c "ip netns exec $LAB_GW $ADIT explain 192.168.77.10 192.0.2.80 --config $LAB_DIR/config --state-dir $LAB_DIR/state | grep -q 'tunnel home'"

leak_none "there and back"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
