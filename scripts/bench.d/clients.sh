# Clients and servers of a measurement, and what a client is asked for. Sourced by scripts/bench.

# CASE DIRECTION ROUND CLIENT MEASURE VALUE, a line a figure.
RESULTS=$LAB_DIR/results
RUN_PID='' CLIENT_PIDS=() PEER_PIDS=()

median() { sort -n | awk '{ v[NR] = $1 } END { print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
microseconds() { local now=$EPOCHREALTIME; echo "${now/./}"; }

# until_line PATTERN COMMAND...: microseconds from the start of the command to the first line that matches; its pid in RUN_PID.
until_line() {
  local pattern=$1 began line
  shift
  began=$(microseconds)
  exec {lines}< <(exec "$@" 2>&1)
  RUN_PID=$!
  while IFS= read -r -u "$lines" line; do
    case $line in $pattern) UNTIL=$(($(microseconds) - began)); return 0 ;; esac
    last=$line
  done
  echo "bench: $1 ended: ${last:-}" >&2
  return 1
}
run_end() {
  [ -n "$RUN_PID" ] || return 0
  kill -TERM "$RUN_PID" 2>/dev/null; cat <&"$lines" >/dev/null; exec {lines}<&-
  RUN_PID=''
}

# --- clients: each leaves its processes in CLIENT_PIDS.

openvpn_up() { # PROFILE
  until_line '*Initialization Sequence Completed*' ip netns exec "$LAB_GW" openvpn --config "$1" \
    --sndbuf 1000000 --rcvbuf 1000000 --txqueuelen 1000 || return 1
  CLIENT_PIDS=("$RUN_PID")
}

adit_up() { # PROFILE [--lan DEVICE]
  local profile=$1
  shift
  until_line '* connected: *' ip netns exec "$LAB_GW" dist/adit connect "$profile" "$@" --state-dir "$LAB_DIR/state" || return 1
  CLIENT_PIDS=("$RUN_PID" $(pgrep -P "$RUN_PID" -f ' engine '))
}

# What openvpn leaves to its owner: the LAN hidden behind the tunnel's address, and the MSS clamped both ways.
openvpn_lan_up() { # PROFILE
  openvpn_up "$1" || return 1
  lab_in gw nft -f - <<'NFT'
table inet bench {
  chain out { type nat hook postrouting priority srcnat; oifname "tun*" masquerade; }
  chain through {
    type filter hook forward priority mangle;
    oifname "tun*" tcp flags syn tcp option maxseg size set 1360
    iifname "tun*" tcp flags syn tcp option maxseg size set 1360
  }
}
NFT
}

client_down() {
  run_end
  wait_for 10 eval '! kill -0 "${CLIENT_PIDS[@]}" 2>/dev/null'
  lab_in gw nft delete table inet bench 2>/dev/null
  CLIENT_PIDS=()
  peer_down
}

# --- servers

# real_server TRANSPORT PORT CIPHER: an openvpn server that stays for the whole run, and $LAB_DIR/TRANSPORT-CIPHER.ovpn.
real_server() {
  local name=$1-${3,,} profile=$LAB_DIR/$1-$3.ovpn
  [ ! -e "$profile" ] || return 0
  name=${name:0:11}
  lab_server "$name" "port $2" "proto $([ "$1" = tcp ] && echo tcp-server || echo udp)" "tls-crypt $LAB_DIR/pki/ta.key" \
    "data-ciphers $3" "server 10.$(($2 % 100 + 8)).0.0 255.255.255.0" 'push "redirect-gateway def1"' || return 1
  lab_profile "$profile" "remote 203.0.113.10 $2 $1" "data-ciphers $3"
  lab_inline tls-crypt "$LAB_DIR/pki/ta.key" >> "$profile"
  chmod 600 "$profile"
  iperf_server "10.$(($2 % 100 + 8)).0.1"
}

# peer_up TRANSPORT PORT CIPHER NET [PUSHED...]: a peer of our own rooms, which serves one client and ends with it; its profile in
# $LAB_DIR/peer-PORT.ovpn, its address NET.1.
peer_up() {
  local device=tun-p$2 profile=$LAB_DIR/peer-$2.ovpn log=$LAB_DIR/peer-$2.log net=$4
  peer_build || return 1
  : > "$log"
  ip netns exec "$LAB_SERVER" "$PEER" "$1" 203.0.113.10 "$2" "$3" "$device" "$net" "$profile" "${@:5}" > "$log" 2>&1 &
  PEER_PIDS+=($!); LAB_PIDS+=($!); disown $!
  wait_for 5 grep -q ready "$log" || { echo "bench: the peer did not start: $(tail -1 "$log")" >&2; return 1; }
  ip -n "$LAB_SERVER" address add "$net.1/24" dev "$device"
  ip -n "$LAB_SERVER" link set "$device" up txqueuelen 1000
  iperf_server "$net.1"
}

peer_down() {
  local pid
  for pid in "${PEER_PIDS[@]}"; do kill "$pid" 2>/dev/null; done
  [ ${#PEER_PIDS[@]} -eq 0 ] || wait_for 5 eval '! kill -0 "${PEER_PIDS[@]}" 2>/dev/null'
  PEER_PIDS=()
}

peer_build() {
  [ -z "${PEER:-}" ] || return 0
  ADIT_BENCH=1 ${SWIFT:-swift} build -c release --product BenchPeer >&2 || return 1
  PEER=.build/release/BenchPeer
}

# wireguard_up: wireguard-go at both ends, 10.70.0.1 and 10.70.0.2. Its sockets lie in one directory for all namespaces, so the names differ.
wireguard_up() {
  local ours=wgc$$ theirs=wgs$$ key=$LAB_DIR/wg
  for name in "$ours" "$theirs"; do
    [ -e "$key-$name" ] || { (umask 077; wg genkey > "$key-$name"); wg pubkey < "$key-$name" > "$key-$name.pub"; }
  done
  ip netns exec "$LAB_SERVER" wireguard-go -f "$theirs" > "$LAB_DIR/wg-server.log" 2>&1 &
  PEER_PIDS+=($!); LAB_PIDS+=($!); disown $!
  ip netns exec "$LAB_GW" wireguard-go -f "$ours" > "$LAB_DIR/wg-client.log" 2>&1 &
  CLIENT_PIDS=($!); PEER_PIDS+=($!); LAB_PIDS+=($!); disown $!
  wait_for 5 test -S "/var/run/wireguard/$ours.sock" -a -S "/var/run/wireguard/$theirs.sock" || return 1
  wg set "$theirs" private-key "$key-$theirs" listen-port 51820 peer "$(cat "$key-$ours.pub")" allowed-ips 10.70.0.2/32
  wg set "$ours" private-key "$key-$ours" peer "$(cat "$key-$theirs.pub")" endpoint 203.0.113.10:51820 allowed-ips 10.70.0.0/24
  ip -n "$LAB_SERVER" address add 10.70.0.1/24 dev "$theirs"; ip -n "$LAB_SERVER" link set "$theirs" up mtu 1420 txqueuelen 1000
  ip -n "$LAB_GW" address add 10.70.0.2/24 dev "$ours"; ip -n "$LAB_GW" link set "$ours" up mtu 1420 txqueuelen 1000
  iperf_server 10.70.0.1
  wait_for 5 lab_in gw ping -c 1 -W 1 -q 10.70.0.1
}

# iperf_server ADDRESS: one a tunnel's address, for as long as that lasts.
declare -A IPERF=()
iperf_server() {
  kill -0 "${IPERF[$1]:-x}" 2>/dev/null && return 0
  ip netns exec "$LAB_SERVER" iperf3 -s -B "$1" > /dev/null 2>&1 &
  IPERF[$1]=$!; LAB_PIDS+=($!); disown $!
  wait_for 5 eval "lab_in server ss -tlnH src $1 | grep -q :5201"
}
