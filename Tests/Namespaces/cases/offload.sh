# The same traffic in every mode of `option offload`: each byte comes back, and status says what is in use. Then by an uplink whose
# device neither sums nor carries a whole datagram: the kernel refuses the runs, and nothing is lost.
lab_up; lab_pki
lab_server home "port 1194" "proto udp" "server-ipv6 fd08::/64" 'push "redirect-gateway def1 ipv6"'
lab_server stream "port 1195" "proto tcp-server" "server 10.9.0.0 255.255.255.0" "server-ipv6 fd09::/64" 'push "redirect-gateway def1 ipv6"'
lab_in far perl Tests/Namespaces/bulk.pl serve 7000 > "$LAB_DIR/bulk.log" 2>&1 & LAB_PIDS+=($!)
expect_within 5 "the far host listens" grep -q listening "$LAB_DIR/bulk.log"
bulk() { lab_in "$1" perl Tests/Namespaces/bulk.pl run "$2" 7000 "$3"; }
config() { # MODE LINE...: the tunnel's options
  mkdir -p "$LAB_DIR/config"
  printf "config tunnel 'home'\n\toption profile 'home.ovpn'\n\toption offload '%s'\n" "$1" > "$LAB_DIR/config/gateway"
  shift
  [ $# -eq 0 ] || printf '\t%s\n' "$@" >> "$LAB_DIR/config/gateway"
  printf "config gateway 'lan'\n\tlist tunnel 'home'\n\tlist lan 'lan0'\n\toption kill_switch 'session'\n\toption scope 'all'\n" >> "$LAB_DIR/config/gateway"
}
profile() { lab_profile "$LAB_DIR/config/home.ovpn" "$@"; chmod 600 "$LAB_DIR/config/home.ovpn"; }
carries() { # WORDS
  expect "$1: IPv4 of the LAN, both ways at once" bulk lan 192.0.2.80 8000000
  expect "$1: IPv6 of the LAN" bulk lan 2001:db8:80::80 8000000
  expect "$1: of the gateway itself" bulk gw 192.0.2.80 8000000
  expect "$1: no super-packet was out of order" sh -c "! ip netns exec $LAB_GW $ADIT status --json --state-dir $LAB_DIR/state | grep -q bad_offload"
}
mkdir -p "$LAB_DIR/config"

profile "remote 203.0.113.10 1194 udp"
while read -r mode says; do
  config "$mode"
  adit_start run --config "$LAB_DIR/config"
  expect_within 10 "$mode: connected" adit_connected
  expect_within 5 "$mode: status says $says" adit_status "\"offload\":\"$says\""
  carries "$mode"
  expect "$mode: stops in time" adit_stop
done <<'MODES'
auto gso\+gro\+tso\+uso\+coalesce
mmsg mmsg
off off
MODES

# A reload changes it under the running session: the tun at once, the socket with the next connection.
config auto
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected" adit_connected
config mmsg
kill -HUP "$ADIT_PID"
expect_within 10 "after a reload no super-packet comes from the tun" adit_status '"status":"connected".*"offload":"gso\+gro"'
carries "after a reload"
expect "stops in time" adit_stop

profile "remote 203.0.113.10 1195 tcp-client"
config auto
adit_start run --config "$LAB_DIR/config"
expect_within 10 "a stream: connected" adit_connected
expect_within 5 "a stream: status says tso+coalesce" adit_status '"offload":"tso\+uso\+coalesce"'
carries "a stream"
expect "a stream: stops in time" adit_stop

# ETHTOOL_STXCSUM 0, for which there is no program everywhere.
lab_in gw perl -e 'use Socket; socket(S, AF_INET, SOCK_DGRAM, 0); my $off = pack("LL", 0x17, 0); my $r = pack("a16 P a16", "wan0", $off, ""); ioctl(S, 0x8946, $r) or die "$!\n"'
ip -n "$LAB_GW" link set wan0 mtu 1400
ip -n "$LAB_ISP" link set gw0 mtu 1400
# Nothing is clamped to what the uplink takes.
profile "remote 203.0.113.10 1194 udp" "mssfix 0"
config gso "option mtu '1500'"
adit_start run --config "$LAB_DIR/config"
expect_within 10 "a narrow uplink without checksums: connected" adit_connected
carries "a narrow uplink without checksums"
expect_within 5 "what is refused is said" adit_log 'gso is not used'
expect "once" sh -c "[ \$(grep -c 'gso is not used' $LAB_DIR/adit.log) -eq 1 ]"
expect "stops in time" adit_stop
