# docs/TRAFFIC.md with real packets: in every state what leaves leaves by the way that the page says, and the house is never cut.
lab_up; lab_pki; lab_second_lan
. Tests/Namespaces/house.sh
count_exits
profile home "remote 203.0.113.10 1194 udp" "connect-timeout 3"
config_tunnel home
gateway() { config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "list lan 'lan1'" "option dns 'off'" "$@"; }
server() { lab_server home "port 1194" "proto udp" "keepalive 1 3" 'push "redirect-gateway def1"'; }
# The house's own NAT, with a port forward; the ISP sends the house its IPv6.
lab_in gw nft -f - <<'NFT'
table inet house {
  chain out { type nat hook postrouting priority srcnat; oifname "wan0" masquerade; }
  chain in { type nat hook prerouting priority dstnat; iifname "wan0" tcp dport 2222 dnat ip to 192.168.77.10:22; }
}
NFT
for ns in gw lan lan2; do lab_in $ns sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0; done
# SSH's greeting, on the router and on a device; names, leases and advertisements by dnsmasq.
for ns in gw lan; do
  lab_in $ns perl -MIO::Socket::INET -e '
    my $server = IO::Socket::INET->new(LocalPort => 22, Listen => 5, ReuseAddr => 1) or die;
    while (my $peer = $server->accept) { print $peer "SSH-2.0-lab\r\n"; close $peer }' & LAB_PIDS+=($!)
done
# Bound to the wildcard: addresses come and go here.
lab_in gw dnsmasq -k -C /dev/null --no-resolv --no-hosts --pid-file= --user=root --log-facility=/dev/null \
  --address=/house.test/192.168.77.1 --dhcp-leasefile="$LAB_DIR/leases" --dhcp-authoritative --no-ping \
  --dhcp-range=192.168.77.100,192.168.77.200,1h --dhcp-range=fd77::,ra-only --enable-ra & LAB_PIDS+=($!)
greets() { [ "$(timeout 3 ip netns exec "$LAB-$1" bash -c "head -c 8 < /dev/tcp/$2/$3" 2> /dev/null)" = "SSH-2.0-" ]; }
resolves() { lab_in lan perl -MIO::Socket::INET -e '
  my $socket = IO::Socket::INET->new(Proto => "udp", PeerAddr => "192.168.77.1:53") or exit 1;
  $socket->send(pack("nnnnnn", 7, 0x100, 1, 0, 0, 0) . "\5house\4test\0" . pack("nn", 1, 1));
  $SIG{ALRM} = sub { exit 1 }; alarm 2; $socket->recv(my $answer, 512); exit(index($answer, pack("C4", 192, 168, 77, 1)) < 0)'; }
leases() { lab_in lan perl -MSocket -e '
  socket(my $socket, PF_INET, SOCK_DGRAM, 17) or exit 1;
  setsockopt $socket, SOL_SOCKET, SO_BROADCAST, 1; setsockopt $socket, SOL_SOCKET, SO_REUSEADDR, 1;
  setsockopt $socket, SOL_SOCKET, 25, pack("Z16", "eth0");
  bind $socket, pack_sockaddr_in(68, INADDR_ANY) or exit 1;
  my $discover = pack("C4 N n2 N4 H32 x192 C4 C3 C", 1, 1, 6, 0, 7, 0, 0x8000, 0, 0, 0, 0, "02000000000100000000000000000000",
    99, 130, 83, 99, 53, 1, 1, 255) . ("\0" x 60);
  send $socket, $discover, 0, pack_sockaddr_in(67, INADDR_BROADCAST);
  $SIG{ALRM} = sub { exit 1 }; alarm 3; recv $socket, my $offer, 1500, 0; exit(index($offer, "\x63\x82\x53\x63\x35\1\2") < 0)'; }
advertises() { lab_in lan perl -MSocket=:all -e '
  socket(my $socket, PF_INET6, SOCK_RAW, 58) or exit 1;
  my $index = do { open my $file, "<", "/sys/class/net/eth0/ifindex"; <$file> + 0 };
  setsockopt $socket, 41, 18, pack("i", 255);
  send $socket, pack("C2 n N", 133, 0, 0, 0), 0, pack_sockaddr_in6(0, inet_pton(AF_INET6, "ff02::2"), $index) or exit 1;
  $SIG{ALRM} = sub { exit 1 }; alarm 4; while (1) { recv $socket, my $packet, 1500, 0; exit 0 if ord($packet) == 134 }'; }
discovers() { ip -n "$LAB_LAN" neigh flush dev eth0; ip -n "$LAB_GW" neigh flush dev lan0 2> /dev/null; ping_lan fd77::1; }

house_holds() { # WHEN
  expect "$1: SSH from the LAN to the router" greets lan 192.168.77.1 22
  expect "$1: names by the router" resolves
  expect "$1: a lease" leases
  expect "$1: a router advertisement" advertises
  expect "$1: neighbour discovery" discovers
  expect "$1: from LAN to LAN" ping_lan 192.168.78.10
  expect "$1: and back, over IPv6" lab_in lan2 ping -c 1 -W 2 -q fd77::10
}
# flow WORDS NS WAY: how the far host is reached over IPv4: wan, tunnel or refused. flow6: refused or not at all.
flow() {
  case $3 in
    wan) expect "$1 takes the WAN" exits_by "$2" 198.51.100.2 ;;
    tunnel) expect_within 5 "$1 takes the tunnel" exits_by "$2" 203.0.113.10 ;;
    refused) expect "$1 is refused at once" eval "! timeout 1 ip netns exec $LAB-$2 ping -c 1 -W 5 -q 192.0.2.80 > /dev/null 2>&1; [ \$? -eq 0 ]" ;;
  esac
}
closed6() { expect "$1: IPv6 is refused" sh -c "ip netns exec $LAB_LAN ping -c 1 -W 2 2001:db8:80::80 2>&1 | grep -qiE 'prohibited|unreachable|filtered'"; }
outside() { # WHEN ROUTER LAN: yes or no
  if [ "$2" = yes ]; then expect "$1: SSH from outside to the router" greets far 198.51.100.2 22; else refuse "$1: SSH from outside to the router" greets far 198.51.100.2 22; fi
  if [ "$3" = yes ]; then expect "$1: a port forward to the LAN" greets far 198.51.100.2 2222; else refuse "$1: a port forward to the LAN" greets far 198.51.100.2 2222; fi
}
devices="lan0 lan1 wan0"
network_down() { for device in $devices; do ip -n "$LAB_GW" address flush dev $device; ip -n "$LAB_GW" -6 address flush dev $device; done; }
network_up() {
  # The flush took the link-local addresses too; a device that comes up makes them anew.
  for device in $devices; do ip -n "$LAB_GW" link set $device down; ip -n "$LAB_GW" link set $device up; done
  lab_address gw lan0 192.168.77.1/24 fd77::1/64
  lab_address gw lan1 192.168.78.1/24 fd78::1/64
  lab_address gw wan0 198.51.100.2/24 2001:db8:100::2/64
  ip -n "$LAB_GW" route replace default via 198.51.100.1
  ip -n "$LAB_GW" -6 route replace default via 2001:db8:100::1
}
arm() { expect "arm" adit arm --config "$LAB_DIR/config"; }
disarm() { expect "disarm" adit disarm --config "$LAB_DIR/config"; }

gateway
flow "before: the LAN" lan wan; flow "before: the router" gw wan; outside before yes yes; house_holds before

network_down; ip -n "$LAB_GW" -6 route del default 2> /dev/null
arm; network_up
flow "armed before the network: the LAN" lan refused; closed6 "armed before the network"
flow "armed before the network: another LAN" lan2 refused
flow "armed before the network: the router" gw wan
outside "armed before the network" yes no; house_holds "armed before the network"
disarm

arm
flow "armed: the LAN" lan refused; closed6 armed; flow "armed: the router" gw wan; outside armed yes yes; house_holds armed
adit_run
expect_within 5 "connecting" adit_status '"status":"connecting"'
flow "connecting: the LAN" lan refused; closed6 connecting; flow "connecting: the router" gw wan; outside connecting yes yes; house_holds connecting
server
expect_within 15 "up" adit_connected
flow "up: the LAN" lan tunnel; flow "up: another LAN" lan2 tunnel; closed6 up; flow "up: the router" gw wan; outside up yes yes; house_holds up
expect "down" adit down home
expect_within 5 "down" adit_status '"status":"disconnected"'
flow "down: the LAN" lan refused; closed6 down; flow "down: the router" gw wan; outside down yes yes; house_holds down
expect "up" adit up home; expect_within 10 "up again" adit_connected
leak_watch "host 192.0.2.80 and icmp"
lab_server_stop home -KILL
expect_within 15 "reasserting" adit_status '"status":"reasserting"'
refuse "reasserting: the LAN does not get out" ping_lan 192.0.2.80
expect_within 5 "reasserting: a connection that begins is reset at once" eval \
  "timeout 1 ip netns exec $LAB_LAN bash -c 'exec 3<> /dev/tcp/192.0.2.80/80' 2>&1 | grep -q refused"
leak_none reasserting
outside reasserting yes yes; house_holds reasserting
adit_stop
flow "stopped: the LAN" lan refused; closed6 stopped; outside stopped yes yes; house_holds stopped
disarm

gateway "option scope 'all'"
network_down; ip -n "$LAB_GW" -6 route del default 2> /dev/null
arm; network_up
flow "scope all, armed before the network: the router" gw refused
outside "scope all, armed before the network" no no; house_holds "scope all, armed before the network"
disarm; arm
flow "scope all, armed: the router" gw refused; outside "scope all, armed" yes yes; house_holds "scope all, armed"
server; adit_run
expect_within 15 "scope all: up" adit_connected
flow "scope all, up: the router" gw tunnel; flow "scope all, up: the LAN" lan tunnel; outside "scope all, up" yes yes; house_holds "scope all, up"
kill -9 "$ADIT_PID"; wait_for 3 eval "! kill -0 $ADIT_PID 2> /dev/null"
leak_watch "host 192.0.2.80 and icmp"
refuse "crash: the LAN does not get out" ping_lan 192.0.2.80
refuse "crash: nor the router" lab_in gw ping -c 1 -W 1 -q 192.0.2.80
leak_none crash
outside crash yes yes; house_holds crash
expect "cleanup" adit cleanup
gateway "option kill_switch 'session'"
adit_run; expect_within 15 "session: up" adit_connected
adit_stop
flow "session, stopped: the LAN" lan wan; outside "session, stopped" yes yes
