# What thousands of policy entries and pushed routes cost: `adit plan` (read, plan, print), and from the start of the process to
# "connected" (all of it planned, loaded and applied), for n, 2n and 4n. Twice as much must cost no more than twice as much.
plan() {
  local scale entries routes i began spent=() config=$LAB_DIR/config
  lab_profile_ready || return 1
  mkdir -p "$config"
  cp "$LAB_DIR/lab.ovpn" "$config/home.ovpn"; chmod 600 "$config/home.ovpn"
  sed -i 's/remote .*/remote 203.0.113.10 1290 udp/' "$config/home.ovpn"
  printf "config tunnel 'home'\n\toption profile 'home.ovpn'\nconfig gateway 'lan'\n\tlist tunnel 'home'\n\tlist lan 'lan0'\n\toption kill_switch 'session'\nconfig policy 'films'\n\tlist dest 'file:films'\n\toption via 'wan'\n" > "$config/gateway"
  for scale in 0 1 2 4; do
    entries=$((500 * scale)) routes=$((1250 * scale))
    awk -v n=$entries 'BEGIN { print "198.18.0.1"; for (i = 0; i < n / 2; i++) { printf "198.%d.%d.0/25\n", 20 + int(i / 256), i % 256; printf "2001:db8:%x::/48\n", i } }' > "$config/films"
    local lines=()
    mapfile -t lines < <(awk -v n=$routes 'BEGIN { for (i = 0; i < n; i++) printf "push \"route 100.%d.%d.0 255.255.255.0\"\n", 64 + int(i / 256), i % 256 }')
    lab_server "plan$scale" "port 1290" "proto udp" "server 10.9.0.0 255.255.255.0" "tls-crypt $LAB_DIR/pki/ta.key" "${lines[@]}" || return 1
    local planned=() connected=()
    for i in $(seq 1 "${RUNS:-5}"); do
      began=$(microseconds)
      ip netns exec "$LAB_GW" dist/adit plan --config "$config" > /dev/null || return 1
      planned+=($(($(microseconds) - began)))
      until_line '* connected: *' ip netns exec "$LAB_GW" dist/adit run --config "$config" --state-dir "$LAB_DIR/state" || { echo "bench: adit did not connect" >&2; return 1; }
      [ "$i" -ne 1 ] || { local there; there=$(ip -n "$LAB_GW" route show table 44129 | grep -c '^100\.'); [ "$there" -eq $routes ] || { echo "bench: $there of $routes routes stand" >&2; return 1; }; }
      connected+=("$UNTIL"); run_end; wait_for 10 eval "! kill -0 $RUN_PID 2>/dev/null"
    done
    lab_server_stop "plan$scale"
    spent+=("$(printf '%s\n' "${connected[@]}" | median)")
    awk -v e=$entries -v r=$routes -v p="$(printf '%s\n' "${planned[@]}" | median)" -v c="${spent[-1]}" 'BEGIN { printf "plan: %4d entries, %4d routes: adit plan %6.1f ms, start to connected %6.1f ms\n", e, r, p / 1000, c / 1000 }'
  done
  # Over what an empty house costs.
  awk -v z="${spent[0]}" -v a="${spent[1]}" -v b="${spent[3]}" 'BEGIN { printf "plan: 4n costs %.1f times n\n", (b - z) / (a - z); exit !((b - z) / (a - z) < 6) }' || { echo "bench: not linear" >&2; return 1; }
}
