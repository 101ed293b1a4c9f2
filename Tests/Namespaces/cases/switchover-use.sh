# C-3: `adit use` goes to another server beside the one that serves, with next to no loss, and back.
. Tests/Namespaces/switchover.sh
two_servers; first; second; two_remotes
leak_watch; leak_control lan
leak_watch
adit_run
expect_within 15 "the first serves" serves 203.0.113.10
flood_begin lan 192.0.2.80
expect "the owner wants the second" adit use home 203.0.114.10
expect_within 15 "the second serves" serves 203.0.114.10
expect_within 10 "one device is left" one_device
expect "by the spare device" adit_status '"device":"tun-home.1"'
flood_end
expect "it cost at most 2 of $SENT pings ($LOST)" test "$LOST" -le 2
flood_begin lan 192.0.2.80
expect "the order of the profile again" adit use home default
expect_within 30 "the first serves" serves 203.0.113.10
expect_within 10 "one device is left" one_device
expect "by the tunnel's own device" adit_status '"device":"tun-home"'
flood_end
expect "it cost at most 2 of $SENT pings ($LOST)" test "$LOST" -le 2
leak_none "there and back"
expect "stops in time" adit_stop
