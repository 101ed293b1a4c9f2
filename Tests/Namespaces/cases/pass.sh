# adit pass: one device goes out by the WAN for a time that the kernel counts, and its running connections end with it.
lab_up; lab_pki
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
home_profile
home_config
ip -n "$LAB_LAN" address add 192.168.77.11/24 dev eth0
# The house's own NAT. Not masquerade, which the kernel itself has begin anew when the way changes.
lab_in gw nft 'table inet house { chain out { type nat hook postrouting priority srcnat; oifname "wan0" ip saddr 192.168.0.0/16 snat ip to 198.51.100.2; }; }'
for ns in gw lan; do lab_in $ns sysctl -qw net.ipv4.icmp_ratelimit=0; done
ping_from() { lab_in lan ping -I "$1" -c 1 -W 2 -q "${2:-192.0.2.80}"; }
refused() { # WORDS CODE ARGUMENT...
  local words=$1 code=$2; shift 2
  adit pass "$@" > "$LAB_DIR/pass.out" 2>&1; expect "$words is refused with $code" test $? -eq "$code"
}
says() { grep -qE -- "$1" "$LAB_DIR/pass.out"; }
# Clear packets of the house since the capture began.
clear() { tcpdump -n -r "$1" 2>/dev/null | grep -vc 203.0.113.10; }
watch_wan() { lab_capture isp gw0 "$LAB_DIR/$1.pcap" "host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.77.0/24"; }
silent() { lab_capture_end "$LAB_DIR/$1.pcap"; expect "no clear packet was seen on the WAN ($1)" test "$(clear "$LAB_DIR/$1.pcap")" -eq 0; }

refused "before anything is armed, a pass" 69 192.168.77.10
expect "and the reason is said" says 'nothing is armed'
expect "arm" adit arm --config "$LAB_DIR/config"
watch_wan armed
refuse "armed: the device gets nowhere" ping_from 192.168.77.10
silent armed
refused "no device of the LAN" 65 10.99.0.1
expect "and the LAN's net is named" says '192\.168\.77\.0/24 \(lan0\)'
refused "the router" 65 192.168.77.1
refused "the far host" 65 192.0.2.80
refused "no address" 64 tv
refused "another way than wan" 64 192.168.77.10 --via home

# Without a daemon: a flow that begins under the pass ends with it.
expect "a pass of four seconds" adit pass 192.168.77.10 --for 4s
began=$EPOCHREALTIME
expect "the device goes out by the WAN" ping_from 192.168.77.10
refuse "another device does not" ping_from 192.168.77.11
adit pass > "$LAB_DIR/pass.out"; expect "it is listed with its time" says '^192\.168\.77\.10 passes by wan until .* \([1-4] s left\)$'
expect "and as JSON" sh -c "ip netns exec $LAB_GW $ADIT pass --json | grep -qE '^\{\"passes\":\[\{\"address\":\"192.168.77.10\",\"via\":\"wan\",\"until\":\"2[0-9T:-]+Z\"\}\]\}$'"
ip netns exec "$LAB_LAN" ping -i 0.05 -I 192.168.77.10 192.0.2.80 > "$LAB_DIR/flow.log" 2>&1 & flow=$!; LAB_PIDS+=($flow)
lab_in far perl -MIO::Socket::INET -e '
  my $server = IO::Socket::INET->new(LocalPort => 7777, Listen => 1, ReuseAddr => 1) or die; my $peer = $server->accept; 1 while defined(my $line = <$peer>); ' > /dev/null 2>&1 & LAB_PIDS+=($!)
lab_in lan perl -MIO::Socket::INET -e '
  $SIG{PIPE} = "IGNORE"; my $peer;
  for (1 .. 50) { $peer = IO::Socket::INET->new(PeerAddr => "192.0.2.80:7777", LocalAddr => "192.168.77.10", Timeout => 2) and last; select undef, undef, undef, 0.05 }
  die "no connection" unless $peer; print "connected\n"; $| = 1;
  while (syswrite($peer, "x\n")) { select undef, undef, undef, 0.05 } print "cut: $!\n"' > "$LAB_DIR/tcp.log" 2>&1 & LAB_PIDS+=($!)
expect_within 3 "a TCP connection stands" grep -q connected "$LAB_DIR/tcp.log"
expect "the ping flows" grep -q 'bytes from' "$LAB_DIR/flow.log"
expect_within 6 "the TCP connection is cut when the pass ends" grep -qE 'cut: Connection reset' "$LAB_DIR/tcp.log"
over=$(((${EPOCHREALTIME/./} - ${began/./}) / 1000))
expect "not before its time ($over ms)" test "$over" -ge 3900
expect "and at once ($over ms)" test "$over" -le 5000
watch_wan expired
refuse "the device is closed again, though its ping still runs" ping_from 192.168.77.10
expect_within 3 "the running ping is refused" sh -c "tail -3 $LAB_DIR/flow.log | grep -qiE 'filtered|prohibited|unreachable'"
silent expired
kill $flow; wait $flow 2> /dev/null
adit pass > "$LAB_DIR/pass.out"; expect "no pass is listed" says '^no passes$'

# A new time replaces the old one; --end ends it; IPv6 is a pass of its own.
expect "a pass" adit pass 192.168.77.10 --for 1h
expect "a shorter time replaces it" adit pass 192.168.77.10 --for 60s
adit pass > "$LAB_DIR/pass.out"; expect "it says so" says '\((5[0-9] s|1 min) left\)'
refuse "IPv6 of the same device is closed" ping_from fd77::10 2001:db8:80::80
ip -n "$LAB_ISP" -6 route add fd77::/64 via 2001:db8:100::2
ip -n "$LAB_FAR" -6 route replace default via 2001:db8:80::1
expect "a pass for its IPv6 address" adit pass fd77::10
expect_within 3 "lets it out" ping_from fd77::10 2001:db8:80::80
expect "the end of both" adit pass --end fd77::10
expect "the end of both" adit pass --end 192.168.77.10
refuse "IPv4 is closed" ping_from 192.168.77.10
refuse "IPv6 is closed" ping_from fd77::10 2001:db8:80::80
adit pass --end 192.168.77.10 > "$LAB_DIR/pass.out"; expect "ending what is over is no failure" says 'has no pass'

# With a daemon: one device beside the tunnel, the others in it; a reload and a crash leave the pass its time.
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN goes through the tunnel" ping_from 192.168.77.11
expect "a pass of half an hour" adit pass 192.168.77.10
watch_wan beside
expect "the device goes out by the WAN" ping_from 192.168.77.10
expect "the others by the tunnel" ping_from 192.168.77.11
lab_capture_end "$LAB_DIR/beside.pcap"
expect "just one ping was seen beside the tunnel" test "$(clear "$LAB_DIR/beside.pcap")" -eq 2
expect "status lists it" sh -c "ip netns exec $LAB_GW $ADIT status --state-dir $LAB_DIR/state | grep -qE '^192.168.77.10 passes by wan until .* \((29|30) min.* left\)'"
expect "status --json too" adit_status '"passes":\[\{"address":"192.168.77.10","via":"wan","until":"2'
sed -i 's/list lan .*/&\n\toption mss_clamp '"'0'"'/' "$LAB_DIR/config/gateway"
kill -HUP "$ADIT_PID"
expect_within 5 "the reload changed the table" sh -c "! ip netns exec $LAB_GW nft list chain inet adit clamp_mss | grep -q maxseg"
adit pass > "$LAB_DIR/pass.out"; expect "the pass outlives it with its time" says '^192\.168\.77\.10 passes by wan until .* \(29 min.* left\)$'
expect "and works" ping_from 192.168.77.10
ip netns exec "$LAB_LAN" ping -i 0.1 -I 192.168.77.10 192.0.2.80 > "$LAB_DIR/back.log" 2>&1 & back=$!; LAB_PIDS+=($back)
answers() { grep -c 'bytes from' "$LAB_DIR/back.log"; }
answered() { [ "$(answers)" -gt "$1" ]; }
expect_within 3 "a ping runs beside the tunnel" answered 2
expect "the pass is ended" adit pass --end 192.168.77.10
expect_within 5 "the running ping goes on in the tunnel" answered $(($(answers) + 3))
kill $back; wait $back 2> /dev/null
expect "two seconds more" adit pass 192.168.77.10 --for 2s
kill -9 "$ADIT_PID"
expect_within 4 "it ends with no process alive" sh -c "! ip netns exec $LAB_LAN ping -c 1 -W 1 -q 192.0.2.80"
watch_wan dead
refuse "closed" ping_from 192.168.77.10
silent dead
