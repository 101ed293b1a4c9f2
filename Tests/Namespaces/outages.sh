# A house with two ISPs whose LAN host pings the far host every 50 ms through the tunnel and holds one TCP transfer, while ways and
# servers come and go. An outage counts from the moment a way exists again until the first answer to a ping that was sent after it.
# Sourced by the cases outage-* and soak*, and by scripts/bench, which puts CLIENT=openvpn in Adit's place.
. "$ROOT/Tests/Namespaces/house.sh"
: "${CLIENT:=adit}"

# outage_house: both uplinks stand, the first preferred; neither ISP carries a source address of the other's.
outage_house() {
  lab_up; lab_pki; lab_second_uplink
  ip -n "$LAB_GW" route replace default via 198.51.100.1 dev wan0 metric 10
  ip -n "$LAB_GW" route del default metric 0 2> /dev/null
  lab_in isp nft -f - <<'NFT'
table inet ingress {
  chain in {
    type filter hook prerouting priority -300;
    iifname "gw0" ip saddr != 198.51.100.0/24 drop
    iifname "gw1" ip saddr != 198.51.101.0/24 drop
  }
}
NFT
  # The transfer comes back soon after the way does, not half a minute later by TCP's own back-off. Not every kernel can say so.
  # A server that is gone says nothing: no ICMP error helps.
  lab_in server nft 'table inet quiet { chain out { type filter hook output priority 0; icmp type destination-unreachable drop; }; }'
  for ns in lan far; do lab_in $ns sysctl -qw net.ipv4.tcp_rto_max_ms=2000 net.ipv4.tcp_retries2=60 2> /dev/null; done
}

# outage_server LINE...: as providers run theirs.
outage_server() {
  lab_server home "port 1194" "proto udp" "explicit-exit-notify 1" 'push "redirect-gateway def1"' "$@"
}

outage_config() { # REMOTE...
  local remotes=() remote
  for remote in "${@:-203.0.113.10 1194 udp}"; do remotes+=("remote $remote"); done
  profile home "${remotes[@]}"
  config_tunnel home
  config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'always'"
}

# outage_begin: the tunnel is up, the LAN host pings and transfers, both WANs are watched.
outage_begin() {
  # Echoes without a word in them are Adit's own, when it looks for whom to blame.
  local clear="ip proto 1 or tcp or (net 192.168.0.0/16) or (net 10.8.0.0/16) or (host 192.0.2.80)" uplink
  for uplink in 0 1; do lab_capture isp gw$uplink "$LAB_DIR/clear$uplink.pcap" "($clear) and not icmp[icmptype] == icmp-unreach and not (icmp and ip[2:2] == 28)"; done
  if [ "$CLIENT" = adit ]; then
    adit_run
    expect_within 15 "connected" adit_connected
  else
    # With a kill switch by hand, or what it lets out in the clear while it is down would be taken for its answers.
    lab_in gw nft 'table inet house {
      chain out { type nat hook postrouting priority srcnat; oifname "tun-home" masquerade; }
      chain forward { type filter hook forward priority 0; iifname "lan0" oifname != "tun-home" drop; }
    }'
    openvpn_start
  fi
  ip netns exec "$LAB-far" perl "$ROOT/Tests/Namespaces/transfer.pl" serve 7000 > "$LAB_DIR/echo" 2>&1 & LAB_PIDS+=($!)
  wait_for 10 grep -q listening "$LAB_DIR/echo"
  expect_within 15 "the LAN gets through" ping_lan 192.0.2.80
  ip netns exec "$LAB-lan" ping -D -n -i 0.05 192.0.2.80 > "$LAB_DIR/pings" 2>&1 & PINGS=$!; LAB_PIDS+=($PINGS)
  ip netns exec "$LAB-lan" perl "$ROOT/Tests/Namespaces/transfer.pl" run 192.0.2.80 7000 "$LAB_DIR/progress" > "$LAB_DIR/transfer.log" 2>&1 & TRANSFER=$!; LAB_PIDS+=($TRANSFER)
  expect_within 5 "a transfer runs" transfer_past 0
}

openvpn_start() {
  ip netns exec "$LAB_GW" openvpn --config "$LAB_DIR/config/home.ovpn" --dev tun-home --dev-type tun >> "$LAB_DIR/openvpn.log" 2>&1 & OPENVPN=$!
  LAB_PIDS+=($OPENVPN)
  wait_for 15 sh -c "ip -n $LAB_GW route show | grep -q '^0.0.0.0/1 .*tun-home'"
}
# openvpn_anew: what did not come back by itself begins anew, for the sake of the next figure.
openvpn_anew() {
  kill "$OPENVPN" 2> /dev/null
  wait_for 5 eval "! kill -0 $OPENVPN 2> /dev/null"
  openvpn_start
  wait_for 10 first_answer "$EPOCHREALTIME"
}

# outage_end: the transfer ends with every byte, nothing went out in the clear.
outage_end() {
  local uplink
  kill "$TRANSFER" 2> /dev/null
  wait_for 20 eval "! kill -0 $TRANSFER 2> /dev/null"
  expect "the transfer went through it all: $(tail -1 "$LAB_DIR/transfer.log")" grep -q '^all ' "$LAB_DIR/transfer.log"
  kill -INT "$PINGS" 2> /dev/null
  for uplink in 0 1; do
    lab_capture_end "$LAB_DIR/clear$uplink.pcap"
    [ "$CLIENT" = adit ] || continue
    expect "no clear packet on WAN $uplink" sh -c "[ \$(tcpdump -n -r $LAB_DIR/clear$uplink.pcap 2> /dev/null | tee $LAB_DIR/clear$uplink.log | wc -l) -eq 0 ]"
  done
  [ "$CLIENT" != adit ] || expect "stops in time" adit_stop
}

transferred() { cat "$LAB_DIR/progress" 2> /dev/null || echo 0; }
transfer_past() { local now; now=$(transferred); [ "${now:-0}" -gt "$1" ]; }
# stamp: this moment, in seconds, by the clock of ping -D.
stamp() { STAMP=$EPOCHREALTIME; AT_STAMP=$(transferred); }
# first_answer STAMP: milliseconds from then to the first answer to a ping that was sent after it; fails while there is none.
first_answer() {
  tac "$LAB_DIR/pings" | awk -v at="$1" '
    / bytes from / {
      received = substr($1, 2) + 0
      split($0, parts, "time="); sent = received - (parts[2] + 0) / 1000
      if (received < at) exit
      if (sent >= at) first = received
    }
    END { if (!first) exit 1; printf "%.0f\n", (first - at) * 1000 }'
}
# longest_gap FROM: the longest silence between two answers since that moment, in milliseconds.
longest_gap() {
  awk -v at="$1" '/ bytes from / { t = substr($1, 2) + 0; if (t < at) next; if (last && t - last > gap) gap = t - last; last = t } END { printf "%.0f\n", gap * 1000 }' "$LAB_DIR/pings"
}
now_ms() { local now=$EPOCHREALTIME; now=${now/./}; echo $((now / 1000)); }

# status_number KEY: of the tunnel.
status_number() { adit status home --json 2> /dev/null | grep -oE "\"$1\":[0-9]+" | head -1 | cut -d: -f2; }
counted() { [ "$(status_number "$1")" = "$2" ]; }

# outage BOUND_MS "words": what the event since `stamp` cost; the answers then come steadily, and the transfer goes on.
outage() {
  local bound=$1 words=$2 cost deadline=$((SECONDS + ${PATIENCE:-30}))
  until cost=$(first_answer "$STAMP"); do
    [ $SECONDS -lt $deadline ] || { cost=""; break; }
    sleep 0.02
  done
  if [ -z "$cost" ]; then
    echo "  measured: $words: not back within ${PATIENCE:-30} s"
    if [ "$CLIENT" = adit ]; then not_ok "$words: not back within ${PATIENCE:-30} s"; else openvpn_anew; fi
    return
  fi
  echo "  measured: $words: $cost ms"
  [ "$CLIENT" = adit ] || return 0
  expect "$words: $cost ms of at most $bound" test "$cost" -le "$bound"
  local back; back=$(awk -v at="$STAMP" -v ms="$cost" 'BEGIN { printf "%.6f", at + ms / 1000 }')
  expect_within 35 "and the transfer goes on" transfer_past "$AT_STAMP"
  wait_for 5 first_answer "$(awk -v at="$back" 'BEGIN { printf "%.6f", at + 1.5 }')"
  local gap; gap=$(longest_gap "$back")
  expect "and it stays: the longest silence after it is $gap ms" test "$gap" -le "${STEADY_MS:-700}"
}

# before_event; EVENT; same_session ROAMS "words": the event cost no handshake, and so many roams are counted for it.
before_event() { HANDSHAKES=$(status_number handshakes) ROAMS=$(status_number roams) RECONNECTS=$(status_number reconnects); }
same_session() {
  [ "$CLIENT" = adit ] || return 0
  [ "$1" -eq 0 ] || expect_within 4 "$2: roams went up by $1 (from ${ROAMS:-none})" counted roams $((${ROAMS:-0} + $1))
  expect "$2: no handshake more than the ${HANDSHAKES:-?}" counted handshakes "$HANDSHAKES"
}

# What happens to the ways. Each sets the stamp when a way exists again.
# The first ISP is dark or bright again behind a cable that stays in, and whoever watches the ways moves the default route.
default_moves() { # TO: 0 = the first ISP, 1 = the second
  if [ "$1" = 1 ]; then
    lab_in isp nft 'table inet dark { chain in { type filter hook prerouting priority -300; iifname "gw0" drop; }; }'
    ip -n "$LAB_GW" route del default dev wan0
  else
    lab_in isp nft delete table inet dark
    ip -n "$LAB_GW" route add default via 198.51.100.1 dev wan0 metric 10
  fi
  stamp
}
first_uplink_down() { ip -n "$LAB_GW" link set wan0 down; stamp; }
first_uplink_up() {
  ip -n "$LAB_GW" -b - <<< "link set wan0 up
route add default via 198.51.100.1 dev wan0 metric 10"
  stamp
}
# The lease ends, a moment later another begins.
address_changes() { # OLD NEW
  ip -n "$LAB_GW" address del "198.51.100.$1/24" dev wan0
  ip -n "$LAB_GW" route del default dev wan0 2> /dev/null
  sleep "${LEASE_GAP:-0.3}"
  ip -n "$LAB_GW" -b - <<< "address add 198.51.100.$2/24 dev wan0
route add default via 198.51.100.1 dev wan0 metric 10"
  stamp
}
# The cable is out for some seconds; with `keeps` the router's routes stay (static addresses), else its DHCP client takes them away.
cable_out() { # SECONDS [keeps]
  ip -n "$LAB_ISP" link set gw0 down
  [ "${2:-}" = keeps ] || { ip -n "$LAB_GW" address del 198.51.100.2/24 dev wan0; ip -n "$LAB_GW" route del default dev wan0 2> /dev/null; }
  sleep "$1"
  ip -n "$LAB_ISP" link set gw0 up
  [ "${2:-}" = keeps ] || ip -n "$LAB_GW" -b - <<< "address add 198.51.100.2/24 dev wan0
route add default via 198.51.100.1 dev wan0 metric 10"
  stamp
}
# One uplink only: the second is not there at all.
one_uplink() { ip -n "$LAB_GW" link set wan1 down; }

# The server ends and another begins, some seconds later; politely, or by SIGKILL.
server_returns() { # SIGNAL SECONDS
  lab_server_stop home "-$1"
  sleep "$2"
  outage_server
  stamp
}
# It restarts by itself, as after a change of its configuration.
server_restarts() {
  local log=$LAB_DIR/server-home.log count
  count=$(grep -c 'Initialization Sequence Completed' "$log")
  kill -USR1 "$(cat "$LAB_DIR/server-home.pid")"
  until [ "$(grep -c 'Initialization Sequence Completed' "$log")" -gt "$count" ]; do sleep 0.01; done
  stamp
}
