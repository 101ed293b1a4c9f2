# R-06: the way out as the kernel answers: each change is told once and at once, noise never.
lab_up; lab_pki; lab_second_uplink
lab_server home "port 1194" "proto udp" "keepalive 10 60" 'push "redirect-gateway def1"'
home_profile
home_config
gw() { ip -n "$LAB_GW" "$@"; }
gw route replace default via 198.51.100.1 dev wan0 metric 10; gw route del default metric 0 2> /dev/null
NEWS='uplink is now|no uplink|gone for a moment'
told() { [ "$(grep -cE "$NEWS" "$LAB_DIR/adit.log")" -eq "$1" ]; }
# says COUNT PATTERN: the news has COUNT lines by then, and the last is that. The milliseconds it took are in $TOOK.
says() {
  local began=${EPOCHREALTIME/./}
  until told "$1"; do
    TOOK=$(( (${EPOCHREALTIME/./} - began) / 1000 ))
    [ "$TOOK" -lt 5000 ] || return 1
  done
  TOOK=$(( (${EPOCHREALTIME/./} - began) / 1000 ))
  grep -E "$NEWS" "$LAB_DIR/adit.log" | tail -1 | grep -qE "$2"
}
# event COUNT PATTERN MILLISECONDS COMMAND...
event() {
  local count=$1 pattern=$2 most=$3
  shift 3
  "$@"
  expect "$*: $pattern" says "$count" "$pattern"
  expect "  in $TOOK ms" test "$TOOK" -lt "$most"
}
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected" adit_connected
expect "the first word is the way and its kind" says 1 'uplink is now wan0 \(wired\), from 198.51.100.2 through 198.51.100.1$'
expect "status knows the kind" adit_status '"ipv4":\{"reachable":true,"device":"wan0","kind":"wired","gateway":"198.51.100.1","source":"198.51.100.2"\}'

noise() {
  local i
  for i in $(seq 200); do echo "route add 10.$i.0.0/16 via 198.51.101.1 dev wan1"; done | gw -batch -
  for i in $(seq 200); do echo "route del 10.$i.0.0/16"; done | gw -batch -
  for i in $(seq 20); do
    # Router advertisements renew routes and lifetimes, and add and deprecate addresses.
    gw -6 route replace default via fe80::1 dev wan0 proto ra metric 512 expires 1800 2> /dev/null
    gw -6 address replace "2001:db8:100::$i/64" dev wan0 valid_lft 3600 preferred_lft 1800 nodad
    gw -6 address change "2001:db8:100::$i/64" dev wan0 valid_lft 3600 preferred_lft 0
    gw neigh replace 198.51.100.9 lladdr 02:00:00:00:00:09 dev wan0; gw neigh del 198.51.100.9 dev wan0
    gw neigh replace 198.51.100.1 lladdr "$(lab_in isp cat /sys/class/net/gw0/address)" dev wan0
    gw link set wan1 mtu $((1400 + i))
    gw rule add pref 20000 fwmark 7 lookup 77; gw rule del pref 20000
    gw route replace default via 198.51.100.1 dev wan0 metric 10
  done
  ip -n "$LAB_ISP" link set gw1 down; ip -n "$LAB_ISP" link set gw1 up
  gw link add noise type dummy; gw link set noise up; gw link del noise
}
noise
# What comes after the noise is told after it: nothing can still be on its way.
event 2 'uplink is now wan1 \(wired\), from 198.51.101.2 through 198.51.101.1$' 500 gw route del default dev wan0 metric 10
event 3 'uplink is now wan0 ' 500 gw route add default via 198.51.100.1 dev wan0 metric 10
gw address add 198.51.100.77/24 dev wan0
event 4 'uplink is now wan0 \(wired\), from 198.51.100.77 ' 500 gw route replace default via 198.51.100.1 dev wan0 metric 10 src 198.51.100.77
event 5 'uplink is now wan0 \(wired\), from 198.51.100.2 ' 500 gw route replace default via 198.51.100.1 dev wan0 metric 10
# The cable: the kernel keeps the route, and the name of the way is the same afterwards.
cable_out() { ip -n "$LAB_ISP" link set gw0 down; wait_for 3 eval '[ "$(lab_in gw cat /sys/class/net/wan0/carrier)" = 0 ]'; }
cable_in() { ip -n "$LAB_ISP" link set gw0 up; }
cable_out
event 6 'the way out by wan0 \(wired\) was gone for a moment$' 1500 cable_in
cable_out
event 7 'no uplink: wan0 \(wired\) has no carrier$' 3500 true
expect "status says so" adit_status '"ipv4":\{"reachable":false,"device":"wan0"'
event 8 'uplink is now wan0 \(wired\), from 198.51.100.2 ' 1500 cable_in
expect_within 10 "the LAN gets through" ping_lan 192.0.2.80
expect "and that was all" told 8
# A default through our own tunnel leads nowhere for what carries the tunnel.
event 9 'no uplink: no route leads out$' 3500 gw route add default dev tun-home metric 5
event 10 'uplink is now wan0 ' 500 gw route del default dev tun-home metric 5
expect_within 10 "the LAN gets through" ping_lan 192.0.2.80
expect "stops in time" adit_stop
