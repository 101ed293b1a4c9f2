# Somebody loads a firewall anew and flushes everything: the LAN stays closed, and our table is back at once.
lab_up; lab_pki
lab_server flushed "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/flushed.ovpn" "remote 203.0.113.10 1194 udp"
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.77.0/24"
adit_start connect "$LAB_DIR/flushed.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
for address in 192.0.2.80 2001:db8:80::80; do
  ip netns exec "$LAB_LAN" ping -i 0.01 -q $address > /dev/null 2>&1 & LAB_PIDS+=($!)
done
ours() { lab_in gw nft list table inet adit; }
for try in 1 2 3; do
  lab_in gw nft flush ruleset
  expect_within 2 "our table is back" ours
done
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
rules=$(ip -n "$LAB_GW" rule show)
for pref in $(ip -n "$LAB_GW" rule show | sed 's/:.*//' | grep -E '^8[0-9][0-9]$'); do ip -n "$LAB_GW" rule del pref "$pref"; done
restored() { [ "$(ip -n "$LAB_GW" rule show)" = "$rules" ]; }
expect_within 2 "our rules are back" restored
index=$(lab_in gw cat /sys/class/net/tun-flushed/ifindex)
ip -n "$LAB_GW" link del tun-flushed
another() { adit_connected && [ "$(lab_in gw cat /sys/class/net/tun-flushed/ifindex)" != "$index" ]; }
expect_within 5 "a deleted device is made anew" another
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no clear packet was seen on the WAN" sh -c "[ \$(tcpdump -r $LAB_DIR/wan.pcap 2>/dev/null | grep -c .) -eq 0 ]"
expect "stops in time" adit_stop
