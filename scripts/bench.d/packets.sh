# The packet path: what a gigabyte costs the client, by which way it goes. Sourced by scripts/bench.
: "${SECONDS_EACH:=3}" "${ROUNDS:=3}"
AES=AES-256-GCM CHACHA=CHACHA20-POLY1305

# each_round BODY: the clients alternate, and change places from round to round.
each_round() { # BODY CLIENT...
  local round client body=$1 clients
  shift
  for round in $(seq 1 "$ROUNDS"); do
    clients=("$@")
    [ $((round % 2)) -eq 1 ] || clients=($(printf '%s\n' "$@" | tac))
    for client in "${clients[@]}"; do
      "$body" "$round" "$client" || { echo "bench: $body of $client failed in round $round" >&2; client_down; return 1; }
      client_down
    done
  done
}

# Against a real server: as much as goes, and at two fixed rates.
path() {
  real_server udp 1194 $AES && each_round path_round openvpn adit
}
path_round() {
  "$2_up" "$LAB_DIR/udp-$AES.ovpn" || return 1
  both path "$1" "$2" gw 10.102.0.1 -C cubic && both path-100M "$1" "$2" gw 10.102.0.1 -C cubic -b 100M &&
    both path-20M "$1" "$2" gw 10.102.0.1 -C cubic -b 20M
}

# ChaCha20-Poly1305, against a real server and against a peer that batches.
chacha() {
  real_server udp 1195 $CHACHA && each_round chacha_round openvpn adit adit_peer
}
chacha_round() {
  case $2 in
    adit_peer) peer_up udp 1301 $CHACHA 10.60.1 "redirect-gateway def1" && adit_up "$LAB_DIR/peer-1301.ovpn" && both chacha "$1" adit+peer gw 10.60.1.1 -C cubic ;;
    *) "$2_up" "$LAB_DIR/udp-$CHACHA.ovpn" && both chacha "$1" "$2" gw 10.103.0.1 -C cubic ;;
  esac
}

tcp() {
  real_server tcp 1196 $AES && each_round tcp_round openvpn adit
}
tcp_round() { "$2_up" "$LAB_DIR/tcp-$AES.ovpn" && both tcp "$1" "$2" gw 10.104.0.1 -C cubic; }

# UDP inside, which nothing joins: 100 Mbit/s of 1,200 bytes; 8 Mbit/s, ten thousand packets a second, of 100 bytes.
udp() {
  real_server udp 1194 $AES && each_round udp_round openvpn adit
}
udp_round() {
  "$2_up" "$LAB_DIR/udp-$AES.ovpn" || return 1
  both udp-1200 "$1" "$2" gw 10.102.0.1 -u -b 100M -l 1200 && both udp-100 "$1" "$2" gw 10.102.0.1 -u -b 8M -l 100
}

# From a LAN host through the gateway: forwarded, hidden behind the tunnel's address, MSS clamped.
lan() {
  real_server udp 1194 $AES && each_round lan_round openvpn adit
}
lan_round() {
  if [ "$2" = openvpn ]; then openvpn_lan_up "$LAB_DIR/udp-$AES.ovpn"; else adit_up "$LAB_DIR/udp-$AES.ovpn" --lan lan0; fi || return 1
  wait_for 5 lab_in lan ping -c 1 -W 1 -q 10.102.0.1 || return 1
  both lan "$1" "$2" lan 10.102.0.1 -C cubic
}

# Against a peer that batches as well: openvpn with its own server, wireguard-go with its own kind.
peer() {
  wireguard_here && real_server udp 1194 $AES && each_round peer_round openvpn wireguard adit
}
peer_round() {
  case $2 in
    openvpn) openvpn_up "$LAB_DIR/udp-$AES.ovpn" && both peer "$1" openvpn gw 10.102.0.1 -C cubic ;;
    wireguard) wireguard_up && both peer "$1" wireguard-go gw 10.70.0.1 -C cubic ;;
    adit) peer_up udp 1302 $AES 10.60.2 "redirect-gateway def1" && adit_up "$LAB_DIR/peer-1302.ovpn" && both peer "$1" adit+peer gw 10.60.2.1 -C cubic ;;
  esac
}

# What supervisor and engine hold in memory while a peer that batches takes and gives as much as goes; looked at twice a second.
memory() { each_round memory_round adit; }
memory_round() {
  local most=0 now way load
  peer_up udp 1303 $AES 10.60.3 "redirect-gateway def1" && adit_up "$LAB_DIR/peer-1303.ovpn" --lan lan0 || return 1
  for way in "" -R; do
    lab_in gw iperf3 -c 10.60.3.1 -t "$SECONDS_EACH" -C cubic $way > /dev/null 2>&1 &
    load=$!
    while kill -0 $load 2>/dev/null; do
      now=$(pss_sum); [ "$now" -le $most ] || most=$now
      sleep 0.5
    done
  done
  note memory - "$1" adit pss "$(awk -v k=$most 'BEGIN { printf "%.2f", k / 1024 }')"
}
wireguard_here() {
  command -v wireguard-go wg > /dev/null && return 0
  echo "bench: installing wireguard-go and wireguard-tools to compare with" >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends wireguard-go wireguard-tools > /dev/null
}

# Round-trip time, idle and beside a download of 150 Mbit/s. Idle it depends on where the scheduler has put the processes of a run, by half and
# more: there many short runs tell more than a few long ones.
latency() {
  real_server udp 1194 $AES && ROUNDS=$((4 * ROUNDS)) SECONDS_EACH=1 each_round idle_round openvpn adit &&
    each_round loaded_round openvpn adit
}
idle_round() { echo_server_up "$2" && echoes rtt-idle "$1" "$2" 10.102.0.1; }
loaded_round() {
  echo_server_up "$2" || return 1
  lab_in gw iperf3 -c 10.102.0.1 -R -C cubic -b 150M -t $((SECONDS_EACH + 2)) > /dev/null 2>&1 &
  local load=$!
  wait_for 3 eval "[ \$(lab_in gw ss -tnH state established dst 10.102.0.1 | wc -l) -ge 2 ]"
  echoes rtt-loaded "$1" "$2" 10.102.0.1
  local result=$?
  wait $load
  return $result
}
echo_server_up() { "$1_up" "$LAB_DIR/udp-$AES.ovpn" && wait_for 5 lab_in gw ping -c 1 -W 1 -q 10.102.0.1; }

# Ten tunnels of one daemon under load at once, each with a peer of its own, beside one tunnel.
tenfold() { each_round tenfold_round one ten; }
tenfold_round() {
  local config=$LAB_DIR/tenfold count=1 i
  [ "$2" = one ] || count=10
  rm -rf "$config"; mkdir -p "$config"
  for i in $(seq 1 $count); do
    peer_up udp $((1310 + i)) $AES 10.61.$i || return 1
    cp "$LAB_DIR/peer-$((1310 + i)).ovpn" "$config/t$i.ovpn"; chmod 600 "$config/t$i.ovpn"
    printf "config tunnel 't%s'\n\toption profile 't%s.ovpn'\n" "$i" "$i" > "$config/tunnel-t$i"
  done
  until_line '* connected: *' ip netns exec "$LAB_GW" dist/adit run --config "$config" --state-dir "$LAB_DIR/state" || return 1
  for i in $(seq 1 $count); do wait_for 10 lab_in gw ping -c 1 -W 1 -q 10.61.$i.1 || { echo "bench: tunnel $i does not carry" >&2; return 1; }; done
  CLIENT_PIDS=("$RUN_PID" $(pgrep -P "$RUN_PID" -f ' engine '))
  tenfold_flows "$1" "$2" $count up && tenfold_flows "$1" "$2" $count down -R
}
tenfold_flows() { # ROUND CLIENT COUNT DIRECTION IPERF-OPTION...
  local before after i flows=() bytes=0
  before=$(cpu "${CLIENT_PIDS[@]}")
  for i in $(seq 1 "$3"); do
    lab_in gw timeout $((SECONDS_EACH + 20)) iperf3 -c "10.61.$i.1" -t "$SECONDS_EACH" -C cubic -J "${@:5}" > "$LAB_DIR/iperf-$i.json" &
    flows+=($!)
  done
  wait "${flows[@]}" || return 1
  after=$(cpu "${CLIENT_PIDS[@]}")
  for i in $(seq 1 "$3"); do bytes=$((bytes + $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["end"]["sum_received"]["bytes"])' "$LAB_DIR/iperf-$i.json"))); done
  note tenfold "$4" "$1" "$2" cpu "$(awk -v c=$((after - before)) -v b=$bytes 'BEGIN { printf "%.4f", c / b }')"
  note tenfold "$4" "$1" "$2" rate "$(awk -v b=$bytes -v s="$SECONDS_EACH" 'BEGIN { printf "%.1f", b * 8 / s / 1e6 }')"
  echo "bench: tenfold $4, round $1, $2: $(tail -2 "$RESULTS" | awk '{ printf "%s %s  ", $5, $6 }')" >&2
}
