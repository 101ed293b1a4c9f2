# IPv6 of a router that learns its way out by advertisement: kept while the tunnel takes the LAN's, and refused at once where it has none.
lab_up; lab_pki
. Tests/Namespaces/house.sh
advertise() { # NS DEVICE PREFIX
  lab_in "$1" dnsmasq --keep-in-foreground --no-resolv --no-hosts --port 0 --pid-file --interface "$2" --bind-interfaces \
    --dhcp-range "$3,ra-only,64,120" --enable-ra --ra-param "$2,10,120" > "$LAB_DIR/dnsmasq-$1.log" 2>&1 & LAB_PIDS+=($!)
}
learned() { ip -n "$LAB-$1" -6 route show default | grep -q 'proto ra'; }
ip -n "$LAB_GW" -6 route del default
lab_in gw sysctl -qw net.ipv6.conf.all.forwarding=0 net.ipv6.conf.wan0.accept_ra=1
advertise isp gw0 2001:db8:100::
expect_within 8 "the router learns its way out" learned gw
settings() { lab_in gw sysctl -n net.ipv6.conf.all.forwarding net.ipv6.conf.wan0.accept_ra | tr '\n' ' '; }
lab_server home "port 1194" "proto udp6" "server-ipv6 fd08::/64" 'push "redirect-gateway def1 ipv6"'
lab_server four "port 1195" "proto udp6" "server 10.9.0.0 255.255.255.0" 'push "redirect-gateway def1"'
profile home "remote 2001:db8:203::10 1194 udp6"; profile four "remote 2001:db8:203::10 1195 udp6"
config_tunnel home; config_tunnel four "option enabled '0'"
gateway() { local first=$1 second=$2; shift 2; config_gateway lan "list tunnel '$first'" "list tunnel '$second'" "list lan 'lan0'" "option kill_switch 'session'" "$@"; }
gateway home four
leak_watch "host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.0.0/16 or net fd77::/64"; leak_control lan
leak_watch "host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.0.0/16 or net fd77::/64"
adit_run
expect_within 10 "connected over IPv6" tunnel_is home connected
expect_within 3 "the LAN's IPv6 gets through" ping_lan 2001:db8:80::80
expect "the router forwards and hears advertisements still" test "$(settings)" = "1 2 "
expect "its way out is the learned one" learned gw
lab_capture server tun-home "$LAB_DIR/inside.pcap" icmp6
ping_lan 2001:db8:80::80 > /dev/null
lab_capture_end "$LAB_DIR/inside.pcap"
expect "behind the one address that the server gave" sh -c "tcpdump -n -r $LAB_DIR/inside.pcap 2> /dev/null | grep -q 'fd08::1000 > 2001:db8:80::80'"

expect "a server without IPv6" adit up four
expect_within 10 "it is up" tunnel_is four connected
gateway four home; adit_reload
expect_within 9 "it serves" active_is lan four
expect_within 3 "IPv4 of the LAN gets through" ping_lan 192.0.2.80
refuse "IPv6 does not" ping_lan 2001:db8:80::80
no_way() { ip netns exec "$LAB_LAN" ping -c 1 -W 1 2001:db8:80::80 | grep -qiE 'prohibited'; }
expect "it is refused at once, in words" no_way
expect "TCP is reset at once" refused lan 2001:db8:80::80 80
expect "the LAN reaches the router by IPv6" ping_lan fd77::1
expect "a new neighbour too" sh -c "ip -n $LAB_LAN -6 neigh flush dev eth0; ip netns exec $LAB_LAN ping -c 1 -W 1 -q fd77::1"
expect "the transport stands, over the learned way" tunnel_is four connected
# The router's own advertisements reach the LAN, though nothing of the router itself leaves either.
gateway four home "option scope 'all'"; adit_reload
lab_in lan sysctl -qw net.ipv6.conf.eth0.accept_ra=1
ip -n "$LAB_LAN" -6 route del default
advertise gw lan0 fd77::
expect_within 8 "a host of the LAN learns its router" learned lan
refuse "and gets nowhere by it" ping_lan 2001:db8:80::80
refuse "nor does the router" lab_in gw ping -c 1 -W 1 -q 2001:db8:80::80
gateway home four "option scope 'all'"; adit_reload
expect_within 9 "home serves again" active_is lan home
expect "the LAN kept its router" learned lan
expect_within 3 "the LAN's IPv6 gets through" ping_lan 2001:db8:80::80
expect_within 3 "the router's too" lab_in gw ping -c 1 -W 1 -q 2001:db8:80::80
expect "its way out is still the learned one" learned gw
leak_none "IPv6"
expect "stops in time" adit_stop
expect "the router is as it was" test "$(settings)" = "0 1 "
expect "with its learned way out" learned gw
