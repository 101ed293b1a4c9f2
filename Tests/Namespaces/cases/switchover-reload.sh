# C-3: the profile names another server: it is gone to beside the one that serves; one that is not there costs what a reconnect costs.
. Tests/Namespaces/switchover.sh
two_servers; first; second
profile home "remote 203.0.113.10 1194 udp" "connect-timeout 3"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
leak_watch; leak_control lan
leak_watch
adit_run
expect_within 15 "the first serves" serves 203.0.113.10
flood_begin lan 192.0.2.80
profile home "remote 203.0.114.10 1194 udp" "connect-timeout 3"
expect "read again" adit_reload
expect_within 15 "the second serves" serves 203.0.114.10
expect_within 10 "one device is left" one_device
flood_end
expect "it cost at most 2 of $SENT pings ($LOST)" test "$LOST" -le 2
profile home "remote 203.0.114.99 1194 udp" "remote 203.0.113.10 1194 udp" "connect-timeout 3"
expect "read again" adit_reload
expect_within 45 "the first of them is not there: the next one serves" serves 203.0.113.10
leak_none "from server to server"
expect "stops in time" adit_stop
