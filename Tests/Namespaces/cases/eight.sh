# Eight tunnels at once to one server, with one net: eight LAN addresses, eight engines, nothing crosses.
lab_up; lab_pki
. Tests/Namespaces/house.sh
lab_server eight "port 1194" "proto udp" "duplicate-cn" 'push "redirect-gateway def1"' 'push "dhcp-option DNS 10.8.0.1"'
profile home "remote 203.0.113.10 1194 udp"
# A LAN of its own for each.
ip -n "$LAB_LAN" route del default
for i in 1 2 3 4 5 6 7 8; do
  lab_wire lan "eth$i" gw "lan0.$i"
  ip -n "$LAB_LAN" address add "192.168.10$i.10/24" dev "eth$i"
  ip -n "$LAB_GW" address add "192.168.10$i.1/24" dev "lan0.$i"
  ip -n "$LAB_LAN" rule add from "192.168.10$i.10" lookup "10$i"
  ip -n "$LAB_LAN" route add default via "192.168.10$i.1" table "10$i"
  config_section tunnel "t$i" "option profile 'home.ovpn'"
  config_gateway "g$i" "list tunnel 't$i'" "list lan 'lan0.$i'" "option kill_switch 'session'"
done
before=$(network_state)
leak_watch
adit_run
all_up() { [ "$(adit status --json | grep -o '"status":"connected"' | wc -l)" -eq 8 ]; }
expect_within 15 "eight tunnels are connected" all_up
expect "eight engines" engines_running 8
lab_capture server tun-eight "$LAB_DIR/inside.pcap" "icmp and dst host 192.0.2.80"
for i in 1 2 3 4 5 6 7 8; do
  expect_within 5 "LAN $i gets through" lab_in lan ping -c 1 -W 1 -q -I "192.168.10$i.10" 192.0.2.80
  expect "LAN $i reaches the provider's own 10.8.0.1" lab_in lan ping -c 1 -W 1 -q -I "192.168.10$i.10" 10.8.0.1
done
lab_capture_end "$LAB_DIR/inside.pcap"
expect "each by an address of its own" sh -c "[ \$(tcpdump -n -r $LAB_DIR/inside.pcap 2> /dev/null | awk '{ print \$3 }' | sort -u | wc -l) -eq 8 ]"
expect "one is put down" adit down t5
expect_within 3 "it is down" tunnel_is t5 disconnected
refuse "its LAN is closed" lab_in lan ping -c 1 -W 1 -q -I 192.168.105.10 192.0.2.80
for i in 4 6; do expect "LAN $i is not" lab_in lan ping -c 1 -W 1 -q -I "192.168.10$i.10" 192.0.2.80; done
leak_none "eight tunnels"
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
