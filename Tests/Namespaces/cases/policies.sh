# Policies: by address, prefix, MAC and device, by destination, protocol and port, negated and from a list, into a tunnel, to the
# WAN and refused, and what each does while its tunnel is down. On the WAN nothing is seen in clear but what may leave there.
lab_up; lab_pki; lab_second_server; lab_second_lan
lab_lan_host tv 192.168.77.77/24 fd77::77/64 02:00:00:00:00:77
lab_lan_host camera 192.168.77.24/24 fd77::24/64
. Tests/Namespaces/house.sh
strict_filter
lab_server home "port 1194" "proto udp" "server-ipv6 fd08::/64" 'push "redirect-gateway def1 ipv6"'
LAB_AT=server2 lab_server work "port 1194" "proto udp" "server 10.9.0.0 255.255.255.0" "server-ipv6 fd09::/64"
profile home "remote 203.0.113.10 1194 udp"; profile work "remote 203.0.114.10 1194 udp"; profile spare "remote 203.0.114.10 1196 udp"
config_tunnel home; config_tunnel work; config_tunnel spare
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'always'" "option dns 'off'"
printf '# where films come from\n192.0.2.85\n192.0.2.64/30   # and their neighbours\n2001:db8:80::85\n' > "$LAB_DIR/config/streams"
policy() { local name=$1; shift; printf "config policy '%s'\n" "$name"; printf '\t%s\n' "$@"; }
{
  policy address "list src '192.168.77.21'" "list src 'fd77::21'" "option via 'wan'"
  policy tv "list src '02:00:00:00:00:77'" "option via 'wan'"
  policy guests "list src '@lan1'" "option via 'work'"
  policy https "list proto 'tcp'" "list dest_port '8443'" "option via 'wan'"
  policy nas "list src '192.168.77.22'" "list src 'fd77::22'" "list dest '192.0.2.84'" "list dest '2001:db8:80::84'" "option via 'wan'"
  policy films "list src '192.168.77.0/24'" "list src 'fd77::/64'" "list src '!192.168.77.23'" "list src '!fd77::23'" "list dest 'file:streams'" "option via 'wan'"
  policy camera "list src '192.168.77.24'" "list src 'fd77::24'" "option via 'block'"
  policy waits "list src '192.168.77.25'" "list src 'fd77::25'" "option via 'spare'"
  policy falls "list src '192.168.77.26'" "list src 'fd77::26'" "option via 'spare'" "option on_down 'wan'"
  policy passes "list src '192.168.77.27'" "list src 'fd77::27'" "option via 'spare'" "option on_down 'next'"
} > "$LAB_DIR/config/policies"
for last in 21 22 23 25 26 27; do lab_address lan eth0 "192.168.77.$last/24" "fd77::$last/64"; done
for last in 65 81 82 83 84 85 86 87 88 89 90 91 92 93; do lab_address far eth0 "192.0.2.$last/24" "2001:db8:80::$last/64"; done
house_nat inet
# The kernel answers one host with few ICMP errors a second; this case asks more often.
lab_in gw sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0
ip netns exec "$LAB_FAR" tcpdump -l -n -i eth0 'icmp[0] == 8 or icmp6[0] == 128 or tcp[tcpflags] == tcp-syn' > "$LAB_DIR/far.seen" 2> "$LAB_DIR/far.tcpdump" &
LAB_PIDS+=($!)
wait_for 5 grep -q 'listening on' "$LAB_DIR/far.tcpdump"
WAN4=198.51.100.2 WAN6=2001:db8:100::2 HOME4=203.0.113.10 HOME6=2001:db8:203::10 WORK4=203.0.114.10 WORK6=2001:db8:204::10
seen() { grep -qE "IP6? $1(\.[0-9]+)? > $2(\.[0-9]+)?: " "$LAB_DIR/far.seen"; }
# goes ROOM SOURCE TARGET EXIT: an answer comes, and the far host saw that address.
goes() { lab_in "$1" ping -c 1 -W 1 -q -I "$2" "$3" > /dev/null && wait_for 2 seen "$4" "$3"; }
both() { # WORDS ROOM SOURCE4 SOURCE6 TARGET WAY
  local four=${6}4 six=${6}6
  expect_within 3 "$1" goes "$2" "$3" "192.0.2.$5" "${!four}"
  expect_within 3 "$1, over IPv6" goes "$2" "$4" "2001:db8:80::$5" "${!six}"
}
# answered ROOM SOURCE TARGET: refused, and said so.
answered() { lab_in "$1" ping -c 1 -W 2 -I "$2" "$3" | grep -qiE 'filtered|prohibited|unreachable'; }
closed_both() { # WORDS LAST TARGET [ROOM]
  expect_within 3 "$1" answered "${4:-lan}" "192.168.77.$2" "192.0.2.$3"
  expect "$1, over IPv6" answered "${4:-lan}" "fd77::$2" "2001:db8:80::$3"
}

expect "check finds nothing wrong" adit check --config "$LAB_DIR/config"
before=$(network_state)
leak_watch net 192.0.2.0/24 or net 2001:db8:80::/64
adit_run
expect_within 10 "home is up" tunnel_is home connected
expect_within 10 "work is up" tunnel_is work connected
both "a device without a policy goes by the gateway's tunnel" lan 192.168.77.10 fd77::10 83 HOME
both "by address: to the WAN" lan 192.168.77.21 fd77::21 81 WAN
both "by MAC: to the WAN" tv 192.168.77.77 fd77::77 82 WAN
both "a device that no gateway names: into a tunnel" lan2 192.168.78.10 fd78::10 86 WORK
listen far 8443
expect "by protocol and port: to the WAN" reaches lan 192.0.2.84 8443
expect "the far host saw it come from there" wait_for 2 seen $WAN4 192.0.2.84
expect "the same host by another protocol: by the tunnel" goes lan 192.168.77.10 192.0.2.84 $HOME4
both "by source and destination: to the WAN" lan 192.168.77.22 fd77::22 84 WAN
both "the same source elsewhere: by the tunnel" lan 192.168.77.22 fd77::22 87 HOME
both "by a list: to the WAN" lan 192.168.77.10 fd77::10 85 WAN
expect "by a prefix of the list" goes lan 192.168.77.10 192.0.2.65 $WAN4
both "the negated source: by the tunnel" lan 192.168.77.23 fd77::23 88 HOME
closed_both "block: refused with an answer" 24 89 camera
expect "block: TCP at once" refused camera 192.0.2.89 80
expect "block: what stays in the house is not its business" lab_in camera ping -c 1 -W 1 -q 192.168.78.10
expect "nor is the router" lab_in camera ping -c 1 -W 1 -q fd77::1
expect "the refused are counted" sh -c "ip netns exec $LAB_GW nft list counter inet adit blocked_policies | grep -qE 'packets [1-9]'"

# While its tunnel is down.
closed_both "on_down block: refused" 25 90
both "on_down wan: to the WAN" lan 192.168.77.26 fd77::26 91 WAN
both "on_down next: whoever decides then" lan 192.168.77.27 fd77::27 92 HOME
LAB_AT=server2 lab_server spare "port 1196" "proto udp" "server 10.10.0.0 255.255.255.0" "server-ipv6 fd10::/64"
expect "spare is asked again" adit reconnect spare
expect_within 15 "spare is up" tunnel_is spare connected
both "up: into the tunnel" lan 192.168.77.25 fd77::25 90 WORK
both "up: no longer to the WAN" lan 192.168.77.26 fd77::26 93 WORK
expect "spare is put down" adit down spare
closed_both "down again: refused" 25 90

# A section that cannot be read opens nothing, and leaves the others.
sed -i "s/'192.168.77.21'/'192.168.77.21x'/" "$LAB_DIR/config/policies"
expect "a broken policy: the configuration is read again" adit_reload
expect_within 3 "and what it matched is refused" answered lan fd77::21 2001:db8:80::81
expect "a tunnel goes on" goes lan2 192.168.78.10 192.0.2.86 $WORK4
sed -i "s/'192.168.77.21x'/'192.168.77.21'/" "$LAB_DIR/config/policies"
expect "mended: read again" adit_reload
both "and to the WAN again" lan 192.168.77.21 fd77::21 81 WAN

# Without a daemon, while the kill switch holds.
expect "stops in time" adit_stop
both "armed: what the owner sends to the WAN goes there" lan 192.168.77.21 fd77::21 81 WAN
closed_both "armed: the rest of the LAN is closed" 10 83
closed_both "armed: on_down block" 25 90
expect "armed: a device of no gateway whose tunnel is gone" answered lan2 192.168.78.10 192.0.2.86

lab_capture_end "$LAB_DIR/wan.pcap"
clear=$(tcpdump -n -r "$LAB_DIR/wan.pcap" 2> /dev/null | grep -oE '(192\.0\.2\.|2001:db8:80::)[0-9]+' | sed -E 's/.*[.:]//' | sort -un | tr '\n' ' ')
expect "on the WAN only what may leave there was seen ($clear)" test "$clear" = "65 81 82 84 85 91 "
expect "disarm" adit disarm
expect "all is as it was before" test "$before" = "$(network_state)"
