# Somebody else takes away or changes what is ours (G-22): the LAN stays closed meanwhile, all is back at once, and the log
# says who it was.
lab_up; lab_pki
lab_server flushed "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/flushed.ovpn" "remote 203.0.113.10 1194 udp"
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.77.0/24"
adit_start connect "$LAB_DIR/flushed.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
for address in 192.0.2.80 2001:db8:80::80; do
  ip netns exec "$LAB_LAN" ping -i 0.01 -q $address > /dev/null 2>&1 & LAB_PIDS+=($!)
done

# back_within MILLISECONDS "words" COMMAND...: how long it takes is measured and shown.
back_within() {
  local limit=$1 words=$2 began=$EPOCHREALTIME ms; shift 2
  while :; do
    "$@" && break
    ms=$(( (${EPOCHREALTIME/./} - ${began/./}) / 1000 ))
    [ $ms -gt $((limit * 5)) ] && break
  done
  ms=$(( (${EPOCHREALTIME/./} - ${began/./}) / 1000 ))
  if [ $ms -le "$limit" ]; then ok "$words after $ms ms"; else not_ok "$words only after $ms ms"; fi
}
table=$(lab_in gw nft -s list table inet adit)
ours() { [ "$(lab_in gw nft -s list table inet adit 2> /dev/null)" = "$table" ]; }
lab_in gw nft flush ruleset
back_within 500 "a flushed ruleset: our table is back" ours
for try in 1 2; do lab_in gw nft flush ruleset; expect_within 2 "again" ours; done
expect "the log names the program" adit_log 'nft \(pid [0-9]+\) removed our nft table: restored'
expect "and says it once" test "$(grep -c 'removed our nft table' "$LAB_DIR/adit.log")" -eq 1
for change in "flush table inet adit" "flush chain inet adit guard" "insert rule inet adit guard accept" "add chain inet adit more" \
  "flush set inet adit lan" "delete table inet adit" "add table inet adit { flags dormant; }"; do
  lab_in gw nft "$change" || continue
  expect_within 6 "nft $change: our table is as it was" ours
done
expect "the log tells of removed parts" adit_log 'nft \(pid [0-9]+\) removed parts of our nft table: restored'
lab_in gw nft add element inet adit pass4 '{ 192.168.99.99 timeout 1h }'
lab_in gw nft flush table inet adit
passed() { lab_in gw nft list set inet adit pass4 | grep -q 192.168.99.99 && lab_in gw nft list chain inet adit guard | grep -q jump; }
expect_within 6 "what was passed for a time is kept" passed
lab_in gw nft delete element inet adit pass4 '{ 192.168.99.99 }'
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80

# A program that fights with us for three seconds does not open the LAN, and does not keep us busy.
fight() { local until=$((SECONDS + 3)); while [ $SECONDS -lt $until ]; do "$@" > /dev/null 2>&1; done; }
lines() { grep -c . "$LAB_DIR/adit.log"; }
before=$(lines)
fight lab_in gw nft flush ruleset
expect_within 6 "after a fight our table is back" ours
expect "without a flood of words" test $(($(lines) - before)) -lt 10
rules() { ip -n "$LAB_GW" rule show; ip -n "$LAB_GW" -6 rule show; }
old_rules=$(rules)
rules_back() { [ "$(rules)" = "$old_rules" ]; }
flush_rules() {
  local family
  for family in -4 -6; do
    ip -n "$LAB_GW" $family rule flush; ip -n "$LAB_GW" $family rule add pref 32766 lookup main
  done
  ip -n "$LAB_GW" rule add pref 32767 lookup default
}
flush_rules 2> /dev/null
back_within 600 "flushed rules: ours are back" rules_back
expect_within 3 "the log tells of rules" adit_log '(one rule of ours was|[0-9]+ rules of ours were) removed by another program: restored'
fight flush_rules
expect_within 3 "after a fight our rules are back" rules_back
routes() { ip -n "$LAB_GW" route show table 44001; ip -n "$LAB_GW" -6 route show table 44001; ip -n "$LAB_GW" route show table 44129; }
old_routes=$(routes)
routes_back() { [ "$(routes)" = "$old_routes" ]; }
expect "there are routes of ours" test -n "$old_routes"
for family in -4 -6; do ip -n "$LAB_GW" $family route flush table 44001; done
# After a fight the next loss may wait for up to a second.
back_within 1500 "flushed routes: ours are back" routes_back
expect_within 2 "the log tells of routes" adit_log 'routes? of ours (was|were) gone: restored'
ip -n "$LAB_GW" link set tun-flushed down
back_within 1500 "a device put down: its routes are back" routes_back
expect "the log tells of the device" adit_log 'the device tun-flushed was changed or removed by another program'
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
forwards() { [ "$(lab_in gw sysctl -n net.ipv4.ip_forward)" = 1 ]; }
lab_in gw sysctl -qw net.ipv4.ip_forward=0
back_within 1500 "forwarding is on again" forwards
expect "the log tells of the setting" adit_log 'net/ipv4/ip_forward is set to 1 again \(was set to 0 by another program\)'
lab_in gw sysctl -qw net.ipv4.conf.all.src_valid_mark=0
valid_mark() { [ "$(lab_in gw sysctl -n net.ipv4.conf.all.src_valid_mark)" = 1 ]; }
expect_within 13 "a setting of which the kernel does not tell is put right at the next look" valid_mark
index=$(lab_in gw cat /sys/class/net/tun-flushed/ifindex)
ip -n "$LAB_GW" link del tun-flushed
another() { adit_connected && [ "$(lab_in gw cat /sys/class/net/tun-flushed/ifindex)" != "$index" ]; }
expect_within 5 "a deleted device is made anew" another
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no clear packet was seen on the WAN" sh -c "[ \$(tcpdump -r $LAB_DIR/wan.pcap 2>/dev/null | grep -c .) -eq 0 ]"
# Table and rules together: nothing else keeps the LAN closed, so no fight makes both wait.
flush_both() { lab_in gw nft flush ruleset; flush_rules; }
both_back() { rules_back && ours; }
one_back() { rules_back || ours; }
fight flush_both
expect_within 8 "after a fight over both, both are back" both_back
flush_both 2> /dev/null
back_within 1000 "flushed together: what closes the LAN is back at once" one_back
expect_within 8 "and all of it" both_back
expect "stops in time" adit_stop
expect "forwarding goes to what the owner set it to last" test "$(lab_in gw sysctl -n net.ipv4.ip_forward)" = 0
