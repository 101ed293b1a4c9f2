# `adit prove`: a made-up device of the LAN tries to get out. It passes where protection stands and names the leak where it does not.
lab_up; lab_pki
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
home_profile
config() { HOME_LAN=$1 home_config "option kill_switch '$2'" "option dns 'off'"; } # LAN KILL_SWITCH
prove() { adit prove --config "$LAB_DIR/config" "$@" > "$LAB_DIR/prove.log" 2>&1; }
proves() { local code=$1; shift; prove "$@"; [ $? -eq "$code" ] || { cat "$LAB_DIR/prove.log"; return 1; }; }
says() { grep -qE "$1" "$LAB_DIR/prove.log" || { cat "$LAB_DIR/prove.log"; return 1; }; }
state() { network_state | sed -E 's/packets [0-9]+ bytes [0-9]+//'; }
# A hole made by hand: our rules away, and the table empty.
hole() {
  local family priority
  for family in -4 -6; do
    ip -n "$LAB_GW" $family rule show | sed -n 's/^\([0-9]*\):.*proto 173.*/\1/p' | while read -r priority; do
      ip -n "$LAB_GW" $family rule del priority "$priority"
    done
  done
  lab_in gw nft flush table inet adit
}
nothing_left() { [ -z "$(ip -n "$LAB_GW" -o link show type veth | grep adit-prove)" ]; }
# The kernel answers one host with few ICMP errors a second; this case asks more often.
lab_in gw sysctl -qw net.ipv4.icmp_ratelimit=0

# A plain LAN device: the client has a net of its own.
config lan0 always
refuse "nothing stands: the client gets out" proves 0
expect "and that is a leak" test "$(tail -1 "$LAB_DIR/prove.log" | cut -d: -f1)" = LEAK
expect "by the WAN" says 'in clear on wan0$'
expect "nothing of it is left" nothing_left
expect "arm" adit arm --config "$LAB_DIR/config"
armed=$(state)
expect "armed: no leak" proves 0
expect "every probe of both families is refused" test "$(grep -c '  pass  ' "$LAB_DIR/prove.log")" -eq 16
expect "at once, TCP by a reset" says 'TCP, port 443 +refused: TCP reset'
expect "and others by ICMP" says 'IPv6  QUIC, UDP port 443 +refused: administratively prohibited'
expect "afterwards the router is as it was" test "$armed" = "$(state)"
expect "opened for a time" adit disarm --for 1m --config "$LAB_DIR/config"
expect "a LAN that is open is a leak" proves 1
expect "and why is said" says 'note: lan is open for a time, by .adit disarm --for'
lab_in gw nft flush set inet adit open_lan
expect "nothing of the client stays in our table" sh -c "! ip netns exec $LAB_GW nft list table inet adit | grep adit-prove"
expect "closed again: no leak" proves 0
expect "--down needs a daemon" proves 69 --down
hole
expect "a hole in what stands: a leak" proves 1
expect "and it was not mended in passing" proves 1
expect "armed again" adit arm --config "$LAB_DIR/config"
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "connected: no leak" proves 0
expect "IPv4 went inside" says 'pass    IPv4  DNS over UDP, port 53 +inside tun-home'
expect "one in fragments too" says 'IPv4  a packet in fragments +inside tun-home'
expect "a packet of full size is larger than what the tunnel takes" says 'IPv4  a packet of full size +refused: too large for the way'
expect "nothing of it is left" nothing_left
expect_within 3 "nor of its net" sh -c "! ip -n $LAB_GW route show table all | grep -q 198.19"
expect "opened for a time, with a daemon" adit disarm --for 1m --config "$LAB_DIR/config"
expect "a leak again" proves 1
lab_in gw nft flush set inet adit open_lan
expect "put down, flushed and put up again: no leak" proves 0 --down --json
expect "in four states" test "$(grep -oE '"state":"[a-z_]+"' "$LAB_DIR/prove.log" | tr '\n' ' ')" = '"state":"as_it_is" "state":"down" "state":"flushed" "state":"up_again" '
expect "the verdict is pass" says '"verdict":"pass"'
expect "the tunnel is up again" adit_connected
expect_within 5 "the LAN gets through again" ping_lan 192.0.2.80

# Interrupted and killed.
ip netns exec "$LAB_GW" "$ADIT" prove --down --config "$LAB_DIR/config" --state-dir "$LAB_DIR/state" > "$LAB_DIR/prove.log" 2>&1 &
prover=$!
expect_within 15 "the tunnel is put down" adit_status '"status":"disconnected"'
kill -INT $prover; wait $prover
expect "interrupted: nothing is proved" test $? -eq 69
expect "and says so" says 'interrupted; everything is as it was'
expect "its cable is gone" nothing_left
expect_within 15 "the tunnel comes up again" adit_connected
ip netns exec "$LAB_GW" "$ADIT" prove --config "$LAB_DIR/config" --state-dir "$LAB_DIR/state" > /dev/null 2>&1 &
prover=$!
expect_within 5 "it is at work" sh -c "ip -n $LAB_GW link show adit-prove0"
kill -KILL $prover; wait $prover 2> /dev/null
expect_within 10 "killed: its cable goes by itself" nothing_left

# Killed, and nobody there: the proof holds with no process alive.
kill -KILL "$ADIT_PID"
nobody_lives() { [ -z "$(ip netns pids "$LAB_GW" | xargs -r ps -o comm= -p | grep -x adit)" ]; }
expect_within 5 "the daemon is killed" nobody_lives
expect "killed: no leak" proves 0
expect "nothing of it is left in our table" sh -c "! ip netns exec $LAB_GW nft list table inet adit | grep adit-prove"
adit_start run --config "$LAB_DIR/config"
expect_within 10 "a successor connects" adit_connected
expect "a daemon that cannot be asked is no daemon's absence" test "$(ip netns exec "$LAB_GW" "$ADIT" prove --config "$LAB_DIR/config" --state-dir "$LAB_DIR/none" > /dev/null 2>&1; echo $?)" -eq 69

# Broken on purpose: without a kill switch, and the tunnel down.
config lan0 off
kill -HUP "$ADIT_PID"
expect_within 5 "reloaded" adit_status '"kill_switch":"off"'
expect "up: no leak" proves 0
expect "down" adit down home
expect_within 5 "the tunnel is down" adit_status '"status":"disconnected"'
expect "kill_switch off and the tunnel down: a leak" proves 1
expect "named with its device" says 'LEAK    IPv4  TCP, port 443 +[0-9] packets? in clear on wan0'
expect "by IPv6 too" says 'LEAK    IPv6  ICMP echo +[0-9] packets? in clear on wan0'
expect "other destinations" proves 1 --to 192.0.2.80
expect "they are tried" says 'LEAK    IPv4  ICMP echo'
printf "\tlist exclude '192.0.2.0/24'\n\toption ipv6 'bypass'\n\nconfig policy 'games'\n\tlist dest '2001:db8:80::/64'\n\toption via 'wan'\n" >> "$LAB_DIR/config/gateway"
expect "what is to go out in clear is not tried, and then nothing is proved" proves 69
expect "it says so" says "note: lan: 192.0.2.1 is not tried, an .exclude. covers it"
sed -i '/exclude/d; /bypass/d' "$LAB_DIR/config/gateway"
expect "a policy may be why" proves 1
expect "that is said" says "note: what these policies match goes to the WAN, and counts as a leak here: games"
# What was asked for outlives the daemon.
expect "up" adit up home
expect "stop" adit_stop

# A bridge: the client is one more device of it.
ip -n "$LAB_GW" address flush dev lan0
ip -n "$LAB_GW" link add br-lan type bridge
ip -n "$LAB_GW" link set lan0 master br-lan
ip -n "$LAB_GW" link set br-lan up
lab_address gw br-lan 192.168.77.1/24 fd77::1/64
config br-lan always
expect_within 5 "the LAN reaches the router" ping_lan 192.168.77.1
ip -n "$LAB_LAN" address add 192.168.77.254/24 dev eth0
adit cleanup --config "$LAB_DIR/config" > /dev/null
expect "arm" adit arm --config "$LAB_DIR/config"
armed=$(state)
expect "bridge, armed: no leak" proves 0
expect "it took an address that is free" says 'a client at br-lan, 192.168.77.253 and fd77::'
expect "afterwards the router is as it was" test "$armed" = "$(state)"
expect "with an address of the owner's" proves 0 --address 192.168.77.200
expect "it is that" says 'a client at br-lan, 192.168.77.200 and fd77::'
# A hole made by hand.
hole
expect "a hole in the table: a leak" proves 1
# In the first moments of its port a bridge may not carry neighbour discovery, and then what is IPv6 was not sent.
expect "named" says '^LEAK: (8 of 8|16 of 16) probes left the router in clear, by wan0$'
adit cleanup --config "$LAB_DIR/config" > /dev/null
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "bridge, connected, down and up: no leak" proves 0 --down
expect "IPv4 went inside" says 'inside tun-home'
expect "nothing of it is left" nothing_left
expect "stop" adit_stop

# What somebody holds on to.
ip -n "$LAB_GW" link add adit-prove0 type veth peer name held
ip -n "$LAB_GW" link set adit-prove0 alias adit-prove:lan
expect "cleanup" adit cleanup --config "$LAB_DIR/config"
expect "removes a cable that was left" nothing_left
