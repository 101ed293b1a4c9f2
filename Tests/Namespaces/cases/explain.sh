# adit explain: what it says is what packets do. Each question is asked, then the packet is sent from the LAN, and captures on
# the WAN and on the tunnel's far end, or the answer to the refusal, tell whether it was so.
lab_up; lab_pki
mkdir -p "$LAB_DIR/config"
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"' 'push "route 10.50.0.0 255.255.0.0"' 'push "dhcp-option DNS 10.8.0.1"'
lab_profile "$LAB_DIR/config/home.ovpn" "remote 203.0.113.10 1194 udp"
chmod 600 "$LAB_DIR/config/home.ovpn"
# More devices of the LAN, each told apart by its address; one by its MAC.
for n in 20 30 40; do ip -n "$LAB_LAN" address add 192.168.77.$n/24 dev eth0; done
mac=$(ip -n "$LAB_LAN" -br link show eth0 | awk '{ print $3 }')
# A second LAN for guests, whose tunnel is never up.
lab_wire lan guest gw guest0
lab_address lan guest 192.168.88.10/24 fd88::10/64
lab_address gw guest0 192.168.88.1/24 fd88::1/64
ip -n "$LAB_LAN" rule add from 192.168.88.0/24 lookup 88
ip -n "$LAB_LAN" route add default via 192.168.88.1 table 88
ip -n "$LAB_LAN" -6 rule add from fd88::/64 lookup 88
ip -n "$LAB_LAN" -6 route add default via fd88::1 table 88
config() { # KILL_SWITCH [MORE]
  cat > "$LAB_DIR/config/gateway" <<UCI
config tunnel 'home'
	option profile 'home.ovpn'

config tunnel 'spare'
	option profile 'home.ovpn'
	option enabled '0'

config gateway 'lan'
	list tunnel 'home'
	list lan 'lan0'
	list exclude '10.77.0.0/16'
	option kill_switch '$1'
	option block_dot '1'

config gateway 'guests'
	list tunnel 'spare'
	list lan 'guest0'
	option kill_switch '$1'
	option ipv6 'bypass'

config policy 'console'
	list src '192.168.77.20'
	list dest '192.0.2.0/24'
	option via 'wan'

config policy 'mail'
	list src '192.168.77.30'
	list proto 'tcp'
	list dest_port '25'
	option via 'block'

config policy 'card'
	list src '$mac'
	list dest '198.18.0.0/15'
	option via 'wan'

config policy 'web'
	list src '192.168.77.40'
	list proto 'udp'
	list dest_port '8000-8080'
	option via 'home'
	option on_down 'wan'
UCI
}
lab_in gw sysctl -qw net.ipv4.icmp_ratelimit=0

explain() { answer=$(adit explain "$@" --json --config "$LAB_DIR/config" 2> "$LAB_DIR/explain.err"); }
# The first answer alone, so that what would be with tunnels up does not count.
says() { local first=${answer%%\},\{*}; grep -qE -- "$1" <<< "${first%%\"with_tunnels\"*}"; }

# seen FILE FILTER: the capture holds such a packet.
seen() { [ "$(tcpdump -nr "$1" "$2" 2>/dev/null | wc -l)" -gt 0 ]; }
# knock FROM TO PROTO PORT: one packet from the LAN; its number of seconds is the time that an answer would take.
knock() {
  ip netns exec "$LAB_LAN" python3 - "$@" <<'PY'
import errno, socket, sys
source, target, proto, port = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
family = socket.AF_INET6 if ":" in target else socket.AF_INET
s = socket.socket(family, socket.SOCK_STREAM if proto == "tcp" else socket.SOCK_DGRAM)
s.bind((source, 0)); s.settimeout(0.4)
try:
    s.connect((target, port))
    if proto == "udp":
        s.send(b"knock"); s.recv(10)
    print("answered")
except ConnectionRefusedError: print("reset")
except (TimeoutError, socket.timeout): print("silent")
except OSError as e: print("refused" if e.errno in (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EACCES, errno.EPERM) else e)
PY
}

# agrees WHEN FROM TO PROTO PORT: what explain says of it and what happens to it are the same.
agrees() {
  local when=$1 from=$2 to=$3 proto=$4 port=$5 way got wan=$LAB_DIR/wan.pcap tun=$LAB_DIR/tun.pcap
  explain "$from" "$to" --proto "$proto" --port "$port"
  way=$(sed -E 's/.*"answers":\[\{[^}]*"way":"([a-z]+)".*/\1/' <<< "$answer")
  lab_capture isp gw0 "$wan" "host $to and $proto port $port"
  [ -z "${tunnel_up:-}" ] || lab_capture server tun-home "$tun" "host $to and $proto port $port"
  got=$(knock "$from" "$to" "$proto" "$port")
  # A capture has what was sent before its end; the marker is known to be the last.
  lab_capture_end "$wan"; [ -z "${tunnel_up:-}" ] || lab_capture_end "$tun"
  case $way in
    tunnel)
      expect "$when: $from to $to $proto/$port: tunnel, and so it is" seen "$tun" "host $to"
      refuse "$when: and not beside it" seen "$wan" "host $to" ;;
    wan) expect "$when: $from to $to $proto/$port: wan, and so it is" seen "$wan" "host $to" ;;
    blocked)
      refuse "$when: $from to $to $proto/$port: blocked, and so it is" seen "$wan" "host $to"
      [ -z "${tunnel_up:-}" ] || refuse "$when: nor by the tunnel" seen "$tun" "host $to"
      case $answer in
        *'"refusal":null'*'"with_tunnels"'*) expect "$when: without an answer, as it says" test "$got" = silent ;;
        *'"refusal":"a TCP reset"'*) expect "$when: with a reset, as it says" test "$got" = reset ;;
        *) expect "$when: with a refusal ($got), as it says" test "$got" = refused -o "$got" = reset ;;
      esac ;;
    router) expect "$when: $from to $to $proto/$port: the router" test "$got" = answered -o "$got" = reset ;;
    lan)
      refuse "$when: $from to $to $proto/$port: stays in the house" seen "$wan" "host $to" ;;
    *) not_ok "$when: $from to $to $proto/$port: explain says ${way:-nothing} ($(cat "$LAB_DIR/explain.err"))" ;;
  esac
  [ -z "${expected:-}" ] || expect "$when: which is $expected" test "$way" = "$expected"
}
# The same questions in every state. EXPECTED is what the configuration means, as a person reads it.
table() { # WHEN then pairs of WAY and QUESTION
  local when=$1; shift
  while [ $# -gt 0 ]; do
    expected=$1 agrees "$when" $2
    shift 2
  done
}

config always
adit arm --config "$LAB_DIR/config" > /dev/null
table armed \
  blocked "192.168.77.10 192.0.2.80 tcp 443" blocked "192.168.77.10 192.0.2.80 udp 443" \
  blocked "fd77::10 2001:db8:80::80 tcp 443" blocked "192.168.77.10 10.50.1.1 tcp 443" \
  wan "192.168.77.10 10.77.1.1 tcp 443" blocked "192.168.77.30 192.0.2.80 tcp 25" wan "192.168.77.20 192.0.2.80 tcp 443" \
  blocked "192.168.88.10 192.0.2.80 tcp 443" wan "fd88::10 2001:db8:80::80 tcp 443" lan "192.168.88.10 192.168.77.10 tcp 9" \
  router "192.168.77.10 192.168.77.1 tcp 22"
explain 192.168.77.10
expect "it says that no daemon runs" says '"situation":"no daemon runs; what is armed is closed"'
expect "and what would be with the tunnel" grep -q '"with_tunnels":\[{[^}]*"way":"tunnel","tunnel":"home"' <<< "$answer"

adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
tunnel_up=1
table up \
  tunnel "192.168.77.10 192.0.2.80 tcp 443" tunnel "192.168.77.10 192.0.2.80 udp 443" \
  blocked "fd77::10 2001:db8:80::80 tcp 443" tunnel "192.168.77.10 10.50.1.1 tcp 443" \
  wan "192.168.77.10 10.77.1.1 tcp 443" wan "192.168.77.20 192.0.2.80 tcp 443" \
  tunnel "192.168.77.20 203.0.113.99 tcp 443" blocked "192.168.77.30 192.0.2.80 tcp 25" \
  tunnel "192.168.77.30 192.0.2.80 tcp 26" tunnel "192.168.77.40 192.0.2.80 udp 8001" \
  wan "192.168.77.10 198.18.5.1 tcp 443" blocked "192.168.88.10 192.0.2.80 tcp 443" \
  wan "fd88::10 2001:db8:80::80 tcp 443" blocked "192.168.77.10 192.0.2.80 tcp 853" router "192.168.77.10 192.168.77.1 tcp 22"
explain 192.168.77.20 192.0.2.80
line=$(grep -n "option via 'wan'" "$LAB_DIR/config/gateway" | head -1 | cut -d: -f1)
expect "the policy is named, and the line of its key" says "\"reason\":\"policy console\",\"place\":\"[^\"]*/config/gateway:$line:"
# A query is led to the tunnel's resolver, whomever it was meant for.
explain 192.168.77.10 9.9.9.9 --proto udp --port 53
expect "a query: into the tunnel, to the server's resolver" says '"way":"tunnel","tunnel":"home".*"diverted":"10\.8\.0\.1:53"'
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "udp port 53"
lab_capture server tun-home "$LAB_DIR/tun.pcap" "udp port 53"
knock 192.168.77.10 9.9.9.9 udp 53 > /dev/null
lab_capture_end "$LAB_DIR/wan.pcap"; lab_capture_end "$LAB_DIR/tun.pcap"
expect "and so it is" seen "$LAB_DIR/tun.pcap" "dst host 10.8.0.1"
refuse "and not beside it" seen "$LAB_DIR/wan.pcap" "udp"
explain "$mac"
expect "by MAC address: the device that has it" says "\"mac\":\"$mac\",\"input\":\"lan0\""
explain 203.0.113.10
expect "an address of nobody's LAN is refused with 65" test $? -eq 65
expect "and the LANs are named" grep -q "203.0.113.10 is no address of a LAN: the nets are 192.168.77.0/24 on lan0" "$LAB_DIR/explain.err"

adit down home
expect_within 5 "the tunnel is down" adit_status '"status":"disconnected"'
tunnel_up=
table down \
  blocked "192.168.77.10 192.0.2.80 tcp 443" blocked "192.168.77.10 192.0.2.80 udp 443" \
  blocked "fd77::10 2001:db8:80::80 tcp 443" wan "192.168.77.20 192.0.2.80 tcp 443" \
  blocked "192.168.77.10 9.9.9.9 udp 53" blocked "192.168.77.20 192.0.2.80 udp 53" \
  wan "192.168.77.40 192.0.2.80 udp 8001" blocked "192.168.77.40 192.0.2.80 udp 9000" \
  blocked "192.168.77.30 192.0.2.80 tcp 25" wan "192.168.77.10 10.77.1.1 tcp 443"

# A pass and an opening count while they last.
expect "a pass" adit pass 192.168.77.10 --for 60s --config "$LAB_DIR/config" > /dev/null
expected=wan agrees pass "192.168.77.10" 192.0.2.80 tcp 443
explain 192.168.77.10 192.0.2.80
expect "the pass is the reason" says '"reason":"adit pass"'
expect "and its time is told" says 'the pass ends in [0-9]+ s'
expect "the pass ends" adit pass 192.168.77.10 --end --config "$LAB_DIR/config" > /dev/null
expected=blocked agrees "pass ended" "192.168.77.10" 192.0.2.80 tcp 443
expect "an opening" adit disarm --for 60s --config "$LAB_DIR/config" > /dev/null
expected=wan agrees opened "192.168.77.10" 192.0.2.80 udp 443
expected=wan agrees opened "192.168.88.10" 192.0.2.80 tcp 443
explain 192.168.77.10 192.0.2.80
expect "the opening is the reason" says '"reason":"adit disarm --for"'

# A daemon that ended without a stop: what it made stands, and nobody reads its device.
adit up home
expect_within 10 "connected again" adit_connected
kill -9 "$ADIT_PID"
expect_within 5 "nobody lives" sh -c "[ -z \"\$(ip netns pids $LAB_GW | xargs -r ps -o comm= -p | grep -x adit)\" ]"
lab_in gw nft flush set inet adit open_lan
table killed \
  blocked "192.168.77.10 192.0.2.80 tcp 443" blocked "fd77::10 2001:db8:80::80 tcp 443" \
  wan "192.168.77.20 192.0.2.80 tcp 443" blocked "192.168.88.10 192.0.2.80 tcp 443" \
  blocked "192.168.77.30 192.0.2.80 tcp 25" wan "192.168.77.10 10.77.1.1 tcp 443"
explain 192.168.77.10
expect "it says what is left" says '"situation":"no daemon runs; one ended without a stop, and what it made stands"'

adit disarm --config "$LAB_DIR/config" > /dev/null
config off
table open wan "192.168.88.10 192.0.2.80 udp 443" wan "192.168.77.10 192.0.2.80 tcp 443" wan "192.168.77.30 192.0.2.80 tcp 25"
explain 192.168.77.10
expect "it says that nothing is armed" says '"situation":"no daemon runs, and nothing is armed"'
