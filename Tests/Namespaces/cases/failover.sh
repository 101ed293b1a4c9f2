# R-06: two servers of one provider, one gateway: over to the backup and back, without a clear packet and with next to no loss.
lab_up; lab_pki; lab_second_server
. Tests/Namespaces/house.sh
count_exits
lab_server home "port 1194" "proto udp" "keepalive 1 3" "explicit-exit-notify 1" 'push "redirect-gateway def1"' 'push "dhcp-option DNS 10.8.0.1"'
LAB_AT=server2 lab_server backup "port 1194" "proto udp" "keepalive 1 3" 'push "redirect-gateway def1"' 'push "dhcp-option DNS 10.8.0.1"'
profile home "remote 203.0.113.10 1194 udp" "connect-timeout 3"
profile backup "remote 203.0.114.10 1194 udp" "connect-timeout 3"
config_tunnel home; config_tunnel backup
config_gateway lan "list tunnel 'home'" "list tunnel 'backup'" "list lan 'lan0'" "option kill_switch 'session'"
before=$(network_state)
leak_watch; leak_control lan
leak_watch
adit_run
expect_within 10 "home is up" tunnel_is home connected
expect_within 10 "backup is up" tunnel_is backup connected
# On a slow machine the other may have come first.
expect_within 9 "home serves" active_is lan home
expect "the LAN leaves by home" exits_by lan 203.0.113.10
expect "the resolver that both pushed answers by home" sh -c "ip -n $LAB_GW route get 10.8.0.1 from 192.168.77.10 iif lan0 | grep -q tun-home"

overs() { grep -c 'takes over' "$LAB_DIR/adit.log"; }
before_restart=$(overs)
flood_begin lan 192.0.2.80
# It pauses for a second by itself.
kill -USR1 "$(cat "$LAB_DIR/server-home.pid")"
expect_within 10 "a polite restart: home is back" adit_status '"name":"home","status":"connected".*"reconnects":1'
flood_end
expect "the LAN did not go over for so short a time" test "$(overs)" = "$before_restart"
expect "the LAN leaves by home still" exits_by lan 203.0.113.10

flood_begin lan 192.0.2.80
expect "home is put down" adit down home
expect_within 2 "the backup serves at once" active_is lan backup
expect_within 2 "the LAN leaves by backup" exits_by lan 203.0.114.10
flood_end
expect "at most 10 of $SENT pings were lost ($LOST)" test "$LOST" -le 10
expect "up again" adit up home
expect_within 5 "home is up" tunnel_is home connected
expect "the backup serves until home has proved stable" active_is lan backup
flood_begin lan 192.0.2.80
expect_within 8 "then home serves again" active_is lan home
expect_within 2 "the LAN leaves by home" exits_by lan 203.0.113.10
flood_end
expect "going back cost at most 2 of $SENT pings ($LOST)" test "$LOST" -le 2

lab_server_stop home -KILL
expect_within 9 "home's server dies: the backup takes over" active_is lan backup
expect_within 2 "the LAN leaves by backup" exits_by lan 203.0.114.10
expect "the resolver is asked by backup" sh -c "ip -n $LAB_GW route get 10.8.0.1 from 192.168.77.10 iif lan0 | grep -q tun-backup"
expect "the log says it" adit_log 'gateway lan: backup takes over: home has been down for [0-9]+ s'
expect "and said that home came back" adit_log 'gateway lan: home serves again, up for [0-9]+ s'
leak_none "over and back"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
