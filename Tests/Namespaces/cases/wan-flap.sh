# G-01: the WAN's cable, addresses and default route come and go while the LAN floods: zero clear packets until the stop.
lab_up; lab_pki
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
home_profile
home_config
# The house's NAT would give a clear packet an address with which it gets far.
house_nat inet
ip -n "$LAB_ISP" -6 route add fd77::/64 via 2001:db8:100::2
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "not host 203.0.113.10 and (host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.77.0/24 or net fd77::/64)"
expect "arm, as at boot" adit arm --config "$LAB_DIR/config"
for address in 192.0.2.80 2001:db8:80::80 198.51.100.1; do
  lab_in lan ping -i 0.002 -q "$address" > /dev/null 2>&1 & LAB_PIDS+=($!)
done
wan_lost() { ip -n "$LAB_GW" address flush dev wan0; ip -n "$LAB_GW" -6 address flush dev wan0; }
wan_back() {
  lab_address gw wan0 198.51.100.2/24 2001:db8:100::2/64
  ip -n "$LAB_GW" route replace default via 198.51.100.1
  ip -n "$LAB_GW" -6 route replace default via 2001:db8:100::1
}
no_path() { adit_status '"ipv4":\{"reachable":false'; }
has_path() { adit_status '"ipv4":\{"reachable":true'; }
wan_lost
adit_start run --config "$LAB_DIR/config"
expect_within 5 "started without a WAN" no_path
wan_back
expect_within 10 "the WAN comes: connected" adit_connected
for try in 1 2 3; do
  wan_lost
  expect_within 5 "addresses gone ($try)" no_path
  wan_back
  expect_within 5 "addresses back ($try)" has_path
  ip -n "$LAB_GW" link set wan0 down
  expect_within 5 "device down ($try)" no_path
  ip -n "$LAB_GW" link set wan0 up
  wan_back
  expect_within 5 "device up ($try)" has_path
  ip -n "$LAB_ISP" link set gw0 down
  ip -n "$LAB_ISP" link set gw0 up
  lab_address isp gw0 198.51.100.1/24 2001:db8:100::1/64 2> /dev/null
  ip -n "$LAB_ISP" -6 address replace 2001:db8:100::1/64 dev gw0 nodad; ip -n "$LAB_ISP" -6 route replace fd77::/64 via 2001:db8:100::2
  ip -n "$LAB_GW" route del default; ip -n "$LAB_GW" route add default via 198.51.100.1
done
# Faster than anybody can plan.
for _ in $(seq 20); do wan_lost; wan_back; done
expect_within 15 "the LAN gets through in the end" ping_lan 192.0.2.80
expect_within 15 "by the tunnel" adit_connected
wan_lost; wan_back
expect "stops in time" adit_stop
for _ in $(seq 5); do wan_lost; wan_back; done
refuse "closed after the stop" ping_lan 192.0.2.80
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no clear packet was seen on the WAN" test "$(tcpdump -n -r "$LAB_DIR/wan.pcap" 2>/dev/null | grep -c .)" -eq 0
