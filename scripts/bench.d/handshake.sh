# From the start of the process to "connected": `adit connect` and openvpn with the same profile and server, ten alternating runs.
handshake() {
  local ours=() theirs=() i
  lab_profile_ready || return 1
  for i in $(seq 1 "${RUNS:-10}"); do
    until_line '*Initialization Sequence Completed*' ip netns exec "$LAB_GW" openvpn --config "$LAB_DIR/lab.ovpn" || { echo "bench: openvpn did not connect" >&2; return 1; }
    theirs+=("$UNTIL"); run_end
    until_line '* connected: *' ip netns exec "$LAB_GW" dist/adit connect "$LAB_DIR/lab.ovpn" --lan lan0 --state-dir "$LAB_DIR/state" || { echo "bench: adit did not connect" >&2; return 1; }
    ours+=("$UNTIL"); run_end
  done
  local a b
  a=$(printf '%s\n' "${ours[@]}" | median) b=$(printf '%s\n' "${theirs[@]}" | median)
  awk -v a="$a" -v b="$b" -v n="${#ours[@]}" 'BEGIN { printf "handshake: start to connected, medians of %d alternating runs: adit %.1f ms, openvpn %.1f ms, difference %+.1f ms\n", n, a / 1000, b / 1000, (a - b) / 1000 }'
  awk -v a="$a" -v b="$b" 'BEGIN { exit !(a - b <= 15000) }' || { echo "bench: slower than openvpn by more than 15 ms" >&2; return 1; }
}

# The profile of the parts that carry no packets to speak of.
lab_profile_ready() { real_server udp 1194 "$AES" && cp "$LAB_DIR/udp-$AES.ovpn" "$LAB_DIR/lab.ovpn"; }
