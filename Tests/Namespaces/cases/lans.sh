# Two LANs through two tunnels of one provider, and one LAN whose gateway has none of its own left: nothing crosses.
lab_up; lab_pki; lab_second_server; lab_second_lan
. Tests/Namespaces/house.sh
strict_filter
count_exits
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"' 'push "dhcp-option DNS 10.8.0.1"'
LAB_AT=server2 lab_server work "port 1194" "proto udp" 'push "redirect-gateway def1"' 'push "dhcp-option DNS 10.8.0.1"'
profile home "remote 203.0.113.10 1194 udp"; profile work "remote 203.0.114.10 1194 udp"
config_tunnel home; config_tunnel work
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
config_gateway guests "list tunnel 'work'" "list tunnel 'home'" "list lan 'lan1'" "option kill_switch 'session'"
before=$(network_state)
leak_watch; leak_control lan
leak_watch
adit_run
expect_within 10 "home is up" tunnel_is home connected
expect_within 10 "work is up" tunnel_is work connected
expect_within 9 "each gateway has its own tunnel" sh -c "ip netns exec $LAB_GW $ADIT status --json --state-dir $LAB_DIR/state | grep -q '\"name\":\"guests\",\"active\":\"work\".*\"name\":\"lan\",\"active\":\"home\"'"
expect_within 2 "the first LAN leaves by home" exits_by lan 203.0.113.10
expect_within 2 "the second by work" exits_by lan2 203.0.114.10
# The address is the same in both: who answers is told by the tunnel that the question is seen on.
for pair in lan:server:home lan2:server2:work; do
  IFS=: read -r from at tunnel <<< "$pair"
  lab_capture "$at" "tun-$tunnel" "$LAB_DIR/$at.pcap" icmp
  expect "$from reaches 10.8.0.1" lab_in "$from" ping -c 1 -W 2 -q 10.8.0.1
  lab_capture_end "$LAB_DIR/$at.pcap"
  expect "of its own provider" sh -c "tcpdump -n -r $LAB_DIR/$at.pcap 2> /dev/null | grep -q 'echo reply'"
done
expect "the two LANs reach each other as ever" lab_in lan ping -c 1 -W 2 -q 192.168.78.10

expect "work is put down" adit down work
expect_within 2 "guests go over to the tunnel that lan has too" active_is guests home
expect_within 2 "and leave by it" exits_by lan2 203.0.113.10
expect "the first LAN does not notice" exits_by lan 203.0.113.10
expect "home is put down" adit down home
expect_within 3 "home is down" tunnel_is home disconnected
refuse "the first LAN is closed" ping_lan 192.0.2.80
refuse "the second too" lab_in lan2 ping -c 1 -W 1 -q 192.0.2.80
expect "up: work" adit up work
expect_within 10 "guests leave by work again" exits_by lan2 203.0.114.10
refuse "lan has no tunnel of its own: closed, and not through work" ping_lan 192.0.2.80
leak_none "two LANs"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
