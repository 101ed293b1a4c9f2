# S-01: a device of somebody else has the name of ours: that tunnel cannot be, the others can, and the LAN is closed all the same.
lab_up; lab_pki
mkdir -p "$LAB_DIR/config"
lab_server good "port 1194" "proto udp" "duplicate-cn" 'push "redirect-gateway def1"'
for name in taken good; do
  lab_profile "$LAB_DIR/config/$name.ovpn" "remote 203.0.113.10 1194 udp"
  printf "config tunnel '%s'\n\toption profile '%s.ovpn'\n\toption enabled '%s'\n" $name $name $([ $name = taken ] && echo 1 || echo 0) > "$LAB_DIR/config/$name"
done
printf "config gateway 'lan'\n\tlist tunnel 'taken'\n\tlist tunnel 'good'\n\tlist lan 'lan0'\n" > "$LAB_DIR/config/gateway"
ip -n "$LAB_GW" link add tun-taken type veth peer name other0
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "host 192.0.2.80 or net 192.168.77.0/24"
adit_start run --config "$LAB_DIR/config"
expect_within 10 "status says so" adit_status '"code":"device_taken"'
refuse "the LAN is closed" ping_lan 192.0.2.80
expect "up" adit up good
expect_within 10 "the other tunnel connects" adit_status '"name":"good","status":"connected"'
expect_within 5 "and carries the LAN" ping_lan 192.0.2.80
expect "the foreign device is left alone" sh -c "ip -n $LAB_GW -d link show tun-taken | grep -q veth"
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no clear packet was seen on the WAN" sh -c "[ \$(tcpdump -r $LAB_DIR/wan.pcap 2>/dev/null | grep -c .) -eq 0 ]"
# What was asked for at run time outlives the daemon.
expect "down" adit down good
expect "stops in time" adit_stop
expect "the foreign device is still there" ip -n "$LAB_GW" link show tun-taken

# One that even calls itself ours, but is no tun: it costs its own tunnel alone.
ip -n "$LAB_GW" link set tun-taken alias adit:taken
adit_start run --config "$LAB_DIR/config"
expect_within 10 "status says so" adit_status '"name":"taken".*"code":"device_taken"'
refuse "the LAN is closed" ping_lan 192.0.2.80
expect "up" adit up good
expect_within 10 "the other tunnel connects" adit_status '"name":"good","status":"connected"'
expect_within 5 "and carries the LAN" ping_lan 192.0.2.80
expect "stops in time" adit_stop
