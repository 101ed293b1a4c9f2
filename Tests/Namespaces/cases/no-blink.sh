# SIGHUP in the middle of a transfer: what did not change does not blink, and the LAN's flows go on.
lab_up; lab_pki; lab_second_lan
. Tests/Namespaces/house.sh
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_server work "port 1195" "proto udp" "server 10.9.0.0 255.255.255.0"
profile home "remote 203.0.113.10 1194 udp"; profile work "remote 203.0.113.10 1195 udp"
config_tunnel home
gateway() { config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'" "$@"; }
gateway
leak_watch; leak_control lan
leak_watch
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
listen far 5201
engine=$(engine_pid) index=$(lab_in gw cat /sys/class/net/tun-home/ifindex)
ip -n "$LAB_GW" monitor link address > "$LAB_DIR/monitor" 2>&1 & LAB_PIDS+=($!)
lab_in lan iperf3 -c 192.0.2.80 -t 5 -b 20M -i 0.5 -f k > "$LAB_DIR/transfer" 2>&1 & transfer=$!; LAB_PIDS+=($transfer)
flood_begin lan 192.0.2.80 0.02
adit_reload; expect "nothing is changed" test $? -eq 0
printf "config globals 'globals'\n\toption log_level 'debug'\n" > "$LAB_DIR/config/globals"
adit_reload; expect "another log level" test $? -eq 0
config_tunnel work; gateway "list tunnel 'work'"
adit_reload
expect_within 5 "a backup comes" tunnel_is work connected
config_gateway guests "list tunnel 'work'" "list lan 'lan1'" "option kill_switch 'session'"
adit_reload; expect "a second gateway comes" test $? -eq 0
printf 'config gatewy\n' > "$LAB_DIR/config/broken"
adit_reload; expect "a broken file comes" test $? -eq 0
rm "$LAB_DIR/config/broken" "$LAB_DIR/config/tunnel-work" "$LAB_DIR/config/gateway-guests"; gateway "option block_dot '1'"
adit_reload; expect "and all that goes again" test $? -eq 0
expect "the transfer came to its end" wait "$transfer"
flood_end
expect "of $SENT pings none was lost ($LOST)" test "$LOST" -eq 0
expect "in no half second it stood still" sh -c "! grep -E ' 0\.00 (K|M)bits' $LAB_DIR/transfer"
expect "the engine is the same" kill -0 "$engine"
expect "the device is the same" test "$index" = "$(lab_in gw cat /sys/class/net/tun-home/ifindex)"
refuse "the device was not touched" grep -q tun-home "$LAB_DIR/monitor"
expect "one handshake in all" adit_status '"name":"home","status":"connected".*"handshakes":1,"reconnects":0'
leak_none "reload"
expect "stops in time" adit_stop
