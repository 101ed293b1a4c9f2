# adit disarm --for: the armed LANs, and the router with scope all, go out by the WAN until the kernel's time is over.
lab_up; lab_pki
home_profile "connect-timeout 3"
config() { home_config "option kill_switch '$1'" "${@:2}"; } # KILL_SWITCH LINE...
house_nat inet
ip -n "$LAB_ISP" -6 route add fd77::/64 via 2001:db8:100::2
for ns in gw lan; do lab_in $ns sysctl -qw net.ipv4.icmp_ratelimit=0; done
ping_router() { lab_in gw ping -c 1 -W 1 -q "${1:-192.0.2.80}"; }
watch_wan() { lab_capture isp gw0 "$LAB_DIR/$1.pcap" "host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.77.0/24"; }
silent() { lab_capture_end "$LAB_DIR/$1.pcap"; expect "no clear packet was seen on the WAN ($1)" sh -c "[ \$(tcpdump -r $LAB_DIR/$1.pcap 2>/dev/null | grep -vc 203.0.113.10) -eq 0 ]"; }
closed() { # WHEN
  watch_wan "$1"
  refuse "$1: the LAN is closed" ping_lan 192.0.2.80
  refuse "$1: over IPv6 too" ping_lan 2001:db8:80::80
  expect "$1: the LAN reaches the router" ping_lan 192.168.77.1
  silent "$1"
}
opened() { expect "$1: the LAN goes out by the WAN" ping_lan 192.0.2.80; expect "$1: over IPv6 too" ping_lan 2001:db8:80::80; }
open_for() { adit disarm --for "$1" > "$LAB_DIR/disarm.out" 2>&1; }
shut() { ! ping_lan 192.0.2.80; }
before=$(network_state)

config always
open_for 10m; expect "nothing is armed: refused with 69" test $? -eq 69
expect "and says why" grep -q 'nothing is armed' "$LAB_DIR/disarm.out"
expect "arm" adit arm --config "$LAB_DIR/config"
closed armed
open_for 4s; expect "disarm for four seconds, without a daemon" test $? -eq 0
expect "it says until when" grep -qE '^open until .*\(4 s\); `adit arm` closes it before$' "$LAB_DIR/disarm.out"
opened "without a daemon"
expect_within 6 "it closes by itself" shut
closed expired
open_for 10m
opened "again"
expect "arm ends it early" adit arm --config "$LAB_DIR/config"
closed "ended early"

# A daemon whose server is dead; names of the LAN go out too, though the tunnel would take them.
config always "option dns 'hijack'" "option block_dot '1'"
adit_start run --config "$LAB_DIR/config"
expect_within 10 "run: no server answers" adit_status '"code":"server_silent"'
adit disarm > /dev/null 2>&1; expect "without --for it is refused with 69" test $? -eq 69
closed "daemon without a server"
open_for 10m; expect "disarm for ten minutes beside a daemon" test $? -eq 0
opened "beside a daemon"
expect_within 2 "the log says so" adit_log 'open for a time, by .adit disarm --for.'
watch_wan names
lab_in lan perl -MIO::Socket::INET -e 'for my $port (53, 853) { IO::Socket::INET->new(Proto => "udp", PeerAddr => "192.0.2.80:$port")->send("x") }'
expect_within 3 "a query of the LAN reaches the server it was meant for" sh -c "tcpdump -n -r $LAB_DIR/names.pcap 2>/dev/null | grep -q '192.0.2.80.53:'"
expect_within 3 "one of DNS over TLS too" sh -c "tcpdump -n -r $LAB_DIR/names.pcap 2>/dev/null | grep -q '192.0.2.80.853:'"
lab_capture_end "$LAB_DIR/names.pcap"
expect "status says until when" sh -c "ip netns exec $LAB_GW $ADIT status --state-dir $LAB_DIR/state | grep -qE 'kill switch  open until .*\((9|10) min.* left\)'"
expect "status --json too" adit_status '"kill_switch":"open","open_until":"2'
kill -HUP "$ADIT_PID"
expect_within 5 "a reload" adit_log 'reading the configuration again'
opened "after the reload"
expect "arm ends it beside a daemon" adit arm --config "$LAB_DIR/config"
closed "armed beside a daemon"
expect_within 2 "the log says that too" adit_log 'closed again'
expect_within 3 "status says so" adit_status '"kill_switch":"armed","open_until":null'
adit arm --config "$LAB_DIR/config" > /dev/null 2>&1; expect "once more is refused with 69, as ever" test $? -eq 69
open_for 3s
opened "three seconds"
kill -9 "$ADIT_PID"; wait_for 3 eval "! kill -0 $ADIT_PID 2>/dev/null"
expect_within 5 "it closes by itself with no process alive" shut
closed "killed"
expect "cleanup" adit cleanup
expect "all is as it was before" test "$before" = "$(network_state)"

# The router itself.
config session "option scope 'all'"
adit_start run --config "$LAB_DIR/config"
expect_within 10 "run: no server answers" adit_status '"code":"server_silent"'
refuse "scope all: the router is closed" ping_router
open_for 3s; expect "disarm for three seconds" test $? -eq 0
expect_within 2 "the router goes out by the WAN" ping_router
expect "over IPv6 too" ping_router 2001:db8:80::80
opened "scope all"
expect_within 6 "the router is closed by itself" sh -c "! ip netns exec $LAB_GW ping -c 1 -W 1 -q 192.0.2.80"
rows() { ip -n "$LAB_GW" rule show | grep -q '^870:'; }
expect_within 3 "its routing rule is back too" rows
closed "scope all"
open_for 10m
expect_within 2 "open once more" ping_router
expect "arm ends it" adit arm --config "$LAB_DIR/config"
refuse "the router is closed" ping_router
expect_within 3 "its routing rule is back at once" rows
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
config always "option scope 'all'"
expect "arm, the router too" adit arm --config "$LAB_DIR/config"
refuse "the router is closed without a daemon" ping_router
open_for 3s
expect "the router goes out by the WAN without a daemon" ping_router
expect_within 6 "and is closed by itself" sh -c "! ip netns exec $LAB_GW ping -c 1 -W 1 -q 192.0.2.80"
closed "armed, scope all"
expect "disarm" adit disarm
expect "all is as it was before" test "$before" = "$(network_state)"
