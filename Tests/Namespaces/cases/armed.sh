# G-04, kill_switch 'always': closed from `adit arm` on, by a stop, a kill -9 and the next start, until `adit disarm` or `adit cleanup`.
lab_up; lab_pki
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
home_profile
config() { home_config "option kill_switch '$1'"; } # KILL_SWITCH
arm() { adit arm --config "$LAB_DIR/config" > "$LAB_DIR/arm.log" 2>&1; }
nobody_lives() { [ -z "$(ip netns pids "$LAB_GW" | xargs -r ps -o comm= -p | grep -x adit)" ]; }
# A device that nobody reads any more, after a kill -9, swallows; everything else is answered.
closed() { # WHEN
  refuse "$1: a ping of the LAN does not get out" ping_lan 192.0.2.80
  refuse "$1: nor over IPv6" ping_lan 2001:db8:80::80
  [ "$1" = killed ] || expect "$1: the refusal comes at once, as an answer" sh -c "ip netns exec $LAB_LAN ping -c 1 -W 2 192.0.2.80 | grep -qiE 'filtered|prohibited|unreachable'"
  expect "$1: the LAN reaches the router" ping_lan 192.168.77.1
  expect "$1: no process is alive" nobody_lives
}
armed_state() { network_state | sed -E 's/packets [0-9]+ bytes [0-9]+//'; }
# The kernel answers one host with few ICMP errors a second; this case asks more often.
lab_in gw sysctl -qw net.ipv4.icmp_ratelimit=0
before=$(network_state)

config session
arm; expect "nothing to arm is refused with 78" test $? -eq 78
expect "and says why" grep -q "nothing to arm" "$LAB_DIR/arm.log"
expect "and changed nothing" test "$before" = "$(network_state)"

config always
expect "check finds nothing wrong" adit check --config "$LAB_DIR/config"
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.77.0/24"
arm; expect "arm succeeds" test $? -eq 0
expect "status knows without a daemon that it is closed" sh -c "ip netns exec $LAB_GW $ADIT status --state-dir $LAB_DIR/state 2>&1 | grep -q 'stays closed: armed'"
expect "it says what is closed, in one line" test "$(cat "$LAB_DIR/arm.log")" = "armed: lan (lan0)"
closed "armed"
armed=$(armed_state)
arm; expect "twice changes nothing" test "$armed" = "$(armed_state)"
adit connect "$LAB_DIR/config/home.ovpn" --lan lan0 > /dev/null 2>&1
expect "connect would open it and is refused with 69" test $? -eq 69

adit_start run --config "$LAB_DIR/config"
expect_within 10 "run takes it over: connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
arm; expect "arm is refused with 69 while a daemon runs" test $? -eq 69
adit disarm > /dev/null 2>&1; expect "so is disarm" test $? -eq 69
expect "stops in time" adit_stop
expect "the log says that it stays closed" adit_log "armed: lan stays closed until .adit disarm."
closed "stopped"
expect "stopped: the same as armed" test "$armed" = "$(armed_state)"

adit_start run --config "$LAB_DIR/config"
expect_within 10 "run again: connected" adit_connected
expect_within 5 "the LAN gets through again" ping_lan 192.0.2.80
kill -9 "$ADIT_PID"
expect_within 3 "killed" nobody_lives
closed "killed"
adit connect "$LAB_DIR/config/home.ovpn" --lan lan0 > /dev/null 2>&1
expect "connect is refused then too" test $? -eq 69
arm; expect "arm after a crash" test $? -eq 0
closed "armed after a crash"

mv "$LAB_DIR/config/home.ovpn" "$LAB_DIR/home.ovpn"
arm; expect "arm without the profile" test $? -eq 0
closed "no profile"
sed -i "s/list tunnel 'home'/list tunnel 'hom'/" "$LAB_DIR/config/gateway"
arm; expect "arm with a broken section" test $? -eq 0
closed "broken section"
printf 'config gateway "x\n' > "$LAB_DIR/config/gateway"
arm; expect "a file that cannot be read arms nothing new" test $? -eq 78
closed "unreadable"
mv "$LAB_DIR/home.ovpn" "$LAB_DIR/config/home.ovpn"

config always
head -c 64 /dev/urandom > "$LAB_DIR/config/noise"
arm; expect "beside an unreadable file nothing is armed anew" test $? -eq 78
adit run --config "$LAB_DIR/config" > "$LAB_DIR/refused.log" 2>&1; expect "and run, which might open a gateway, is refused with 78" test $? -eq 78
expect "it says why" grep -q "it stays closed" "$LAB_DIR/refused.log"
closed "run refused"
rm "$LAB_DIR/config/noise"
adit_start run --config "$LAB_DIR/config"
expect_within 10 "run adopts it: connected" adit_connected
expect_within 5 "the LAN gets through once more" ping_lan 192.0.2.80
expect "stops in time again" adit_stop
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no clear packet was seen on the WAN" sh -c "[ \$(tcpdump -r $LAB_DIR/wan.pcap 2>/dev/null | grep -vc 203.0.113.10) -eq 0 ]"
expect "cleanup succeeds" adit cleanup
expect "cleanup: all is as it was before" test "$before" = "$(network_state)"
arm; expect "armed once more" test $? -eq 0
expect "disarm succeeds" adit disarm
expect "disarm: all is as it was before" test "$before" = "$(network_state)"
# Nobody armed at boot: the first start does.
adit_start run --config "$LAB_DIR/config"
expect_within 10 "run without arm: connected" adit_connected
expect "stops in time" adit_stop
closed "run arms by itself"
expect "disarm it" adit disarm

# At boot, before the network is up: neither addresses nor the way out are known yet.
network_down() { for device in lan0 wan0; do ip -n "$LAB_GW" address flush dev $device; ip -n "$LAB_GW" -6 address flush dev $device; done; }
network_up() {
  lab_address gw lan0 192.168.77.1/24 fd77::1/64
  lab_address gw wan0 198.51.100.2/24 2001:db8:100::2/64
  ip -n "$LAB_GW" route add default via 198.51.100.1
  ip -n "$LAB_GW" -6 route replace default via 2001:db8:100::1
}
lab_capture isp gw0 "$LAB_DIR/boot.pcap" "host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.77.0/24"
network_down
ip -n "$LAB_GW" -6 route del default
arm; expect "arm before the network" test $? -eq 0
network_up
closed "at boot"
expect "disarm" adit disarm
printf "\toption scope 'all'\n" >> "$LAB_DIR/config/gateway"
# A way out by IPv6 is known by now, but no LAN.
network_down
arm; expect "arm before the network, the router itself too" test $? -eq 0
expect "it says so" test "$(cat "$LAB_DIR/arm.log")" = "armed: lan (lan0, the router itself)"
network_up
closed "at boot, scope all"
refuse "the router itself gets nowhere" lab_in gw ping -c 1 -W 1 -q 192.0.2.80
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected all the same" adit_connected
expect_within 5 "the LAN gets through after boot" ping_lan 192.0.2.80
expect_within 5 "the router too" lab_in gw ping -c 1 -W 1 -q 192.0.2.80
expect "stops in time after boot" adit_stop
closed "stopped, scope all"
refuse "the router itself is closed" lab_in gw ping -c 1 -W 1 -q 192.0.2.80
lab_capture_end "$LAB_DIR/boot.pcap"
expect "no clear packet was seen on the WAN at boot" sh -c "[ \$(tcpdump -r $LAB_DIR/boot.pcap 2>/dev/null | grep -vc 203.0.113.10) -eq 0 ]"
expect "disarm opens it" adit disarm
expect_within 5 "the router goes the ordinary way" lab_in gw ping -c 1 -W 1 -q 192.0.2.80
