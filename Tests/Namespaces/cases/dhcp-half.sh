# A DHCP server that hands out 0.0.0.0/1 and 128.0.0.0/1 (option 121), with and without a default beside them: none of it takes the LAN out.
lab_up; lab_pki
. Tests/Namespaces/house.sh
count_exits
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"' "keepalive 1 3"
profile home "remote 203.0.113.10 1194 udp"
config_tunnel home
gateway() { config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'" "$@"; }
gateway
listen gw 22
halves() { for net in 0.0.0.0/1 128.0.0.0/1; do ip -n "$LAB_GW" route "$1" $net via 198.51.100.1 dev wan0 proto dhcp; done; }
leak_watch "icmp and (host 192.0.2.80 or net 192.168.0.0/16)"; leak_control lan
leak_watch "icmp and (host 192.0.2.80 or net 192.168.0.0/16)"
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN leaves by the tunnel" exits_by lan 203.0.113.10
flood_begin lan 192.0.2.80 0.01
halves add
expect "the two halves are learned: the LAN leaves by the tunnel" exits_by lan 203.0.113.10
ip -n "$LAB_GW" route del default
expect "without a default beside them too" exits_by lan 203.0.113.10
expect "down" adit down home
expect_within 3 "it is down" tunnel_is home disconnected
refuse "the LAN is closed" ping_lan 192.0.2.80
expect "up" adit up home
expect_within 10 "connected by the halves" tunnel_is home connected
flood_end
gateway "option scope 'all'"; adit_reload
# Until then the router goes by the WAN, as it should.
expect_within 3 "scope all" sh -c "ip -n $LAB_GW route get 192.0.2.80 | grep -q tun-home"
expect_within 3 "scope all: the router leaves by the tunnel" exits_by gw 203.0.113.10
expect "and answers on the WAN" reaches far 198.51.100.2 22
expect "stops in time" adit_stop
# Started when there is nothing else.
adit_run
expect_within 10 "started with the halves alone: connected" adit_connected
expect_within 3 "the LAN leaves by the tunnel" exits_by lan 203.0.113.10
expect_within 3 "the router too" exits_by gw 203.0.113.10
expect "who comes in by the WAN is answered" reaches far 198.51.100.2 22
expect "status knows the way out" adit_status '"ipv4":\{"reachable":true,"device":"wan0"'
expect "down" adit down home
expect_within 3 "it is down" tunnel_is home disconnected
refuse "the LAN is closed" ping_lan 192.0.2.80
refuse "the router too" lab_in gw ping -c 1 -W 1 -q 192.0.2.80
leak_none "halves"
expect "stops in time" adit_stop
