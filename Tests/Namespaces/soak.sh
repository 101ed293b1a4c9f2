# A house whose cables, addresses and server come and go at random: at every stable moment the tunnel is back within 2 s, nothing goes
# out in the clear, and neither memory nor descriptors grow. And one under steady load, which does not grow either. Sourced by the cases
# soak-minute and slope, and by scripts/soak.
. "$ROOT/Tests/Namespaces/outages.sh"

# The state of the ways: cables of both uplinks, the address of the first and whether its default route stands.
CABLE0=1 CABLE1=1 ROUTE0=1 HAS_ADDRESS=1 ADDRESS=2
way_exists() { if [ $ROUTE0 = 1 ]; then [ $CABLE0 = 1 ]; else [ $CABLE1 = 1 ]; fi; }
# roll N: DICE is one of 0..<N. In this shell: a subshell would draw from a seed of its own.
roll() { DICE=$(((RANDOM * 32768 + RANDOM) % $1)); }

# One event, by chance; EVENT says it in words, STAMP is its moment.
soak_event() { # SHARE_OF_SERVER_EVENTS in percent
  roll 100
  if [ $DICE -lt "$1" ]; then soak_server; return; fi
  roll 4
  case $DICE in
    0 | 1) if [ $CABLE0 = 1 ]; then soak_first_out; else soak_first_in; fi ;;
    2) if [ $CABLE1 = 1 ]; then CABLE1=0; ip -n "$LAB_ISP" link set gw1 down; else CABLE1=1; ip -n "$LAB_ISP" link set gw1 up; fi; EVENT="the second cable is $([ $CABLE1 = 1 ] && echo in || echo out)"; stamp ;;
    3) if [ $CABLE0 = 1 ]; then soak_address; else soak_first_in; fi ;;
  esac
}
# By its DHCP client the router notices, or it has static addresses and does not.
soak_first_out() {
  CABLE0=0 EVENT="the first cable is out"
  ip -n "$LAB_ISP" link set gw0 down
  roll 2
  if [ $DICE -eq 0 ]; then
    ROUTE0=0 HAS_ADDRESS=0 EVENT="$EVENT, its route gone"
    ip -n "$LAB_GW" -b - <<< "route del default dev wan0
address del 198.51.100.$ADDRESS/24 dev wan0"
  fi
  stamp
}
soak_first_in() {
  CABLE0=1 EVENT="the first cable is in"
  ip -n "$LAB_ISP" link set gw0 up
  [ $HAS_ADDRESS = 1 ] || soak_lease
  stamp
}
soak_lease() {
  roll 200
  ADDRESS=$((2 + DICE)) ROUTE0=1 HAS_ADDRESS=1
  ip -n "$LAB_GW" -b - <<< "address add 198.51.100.$ADDRESS/24 dev wan0
route add default via 198.51.100.1 dev wan0 metric 10"
}
soak_address() {
  ip -n "$LAB_GW" address del "198.51.100.$ADDRESS/24" dev wan0
  ip -n "$LAB_GW" route del default dev wan0 2> /dev/null
  soak_lease
  EVENT="another address of the first uplink, .$ADDRESS"
  stamp
}
soak_server() {
  roll 3
  if [ $DICE -eq 0 ]; then
    EVENT="the server died and is back"
    server_returns KILL 0
    SILENT_UNTIL=$(($(now_ms) + 8000))
  else
    EVENT="the server restarted"
    server_restarts
  fi
}

# soak_sample: seconds, KiB of anonymous memory, descriptors and KiB of all memory (the proportional set size) of supervisor and engine.
# The pages of the executable come and go with the machine's memory: the anonymous ones tell of a leak, and all of them what is held.
soak_sample() {
  local engine anonymous all; engine=$(engine_pid)
  [ -n "$engine" ] || return
  read -r anonymous all < <(awk '/^Pss_Anon:/ { anonymous += $2 } /^Pss:/ { all += $2 } END { print anonymous, all }' \
    "/proc/$ADIT_PID/smaps_rollup" "/proc/$engine/smaps_rollup" 2> /dev/null)
  echo "$((SECONDS - SOAK_BEGAN)) $anonymous $(ls "/proc/$ADIT_PID/fd" "/proc/$engine/fd" | grep -c '^[0-9]') $all" >> "$LAB_DIR/samples"
}
# soak_growth COLUMN: the median of the last third of the samples less that of the second third; the first is the warming up.
soak_growth() {
  awk -v c="$1" '
    function middle(from, to,  n, i, j, t, v) { n = 0; for (i = from; i <= to; i++) v[++n] = value[i]
      for (i = 1; i < n; i++) for (j = i + 1; j <= n; j++) if (v[j] < v[i]) { t = v[i]; v[i] = v[j]; v[j] = t }
      return v[int((n + 1) / 2)] }
    { value[NR] = $c }
    END { third = int(NR / 3); print middle(NR - third + 1, NR) - middle(third + 1, 2 * third) }' "$LAB_DIR/samples"
}
# soak_slope COLUMN: per minute, by least squares over the last two thirds.
soak_slope() {
  awk -v c="$1" '{ x[NR] = $1 / 60; y[NR] = $c }
    END { for (i = int(NR / 3) + 1; i <= NR; i++) { n++; sx += x[i]; sy += y[i]; sxx += x[i] * x[i]; sxy += x[i] * y[i] }
      d = n * sxx - sx * sx; printf "%.2f", d ? (n * sxy - sx * sy) / d : 0 }' "$LAB_DIR/samples"
}

# soak SECONDS SEED LONGEST_PAUSE SERVER_PERCENT GROWTH_KIB
soak() {
  local until limit pause cost worst=0 judged=0 late=0 events=0 growth descriptors
  RANDOM=$2 SILENT_UNTIL=0 SOAK_BEGAN=$SECONDS until=$((SECONDS + $1))
  echo "  seed $2"
  soak_sample
  while [ $SECONDS -lt $until ]; do
    soak_event "$4"
    events=$((events + 1))
    roll $(($3 * 1000 - 1000))
    pause=$((1000 + DICE))
    [ -z "${SOAK_TRACE:-}" ] || echo "  $((SECONDS - SOAK_BEGAN)) s: $EVENT$(way_exists || echo ', no way out'); $pause ms"
    if way_exists; then
      limit=$((SILENT_UNTIL - ${STAMP/./} / 1000)); [ $limit -gt 2000 ] || limit=2000
      # So long a moment must be to count as stable.
      if [ $pause -ge $limit ]; then
        judged=$((judged + 1))
        if wait_for_ms $limit soak_is_back; then
          cost=$(first_answer "$STAMP"); [ "$cost" -le $worst ] || worst=$cost
          soak_sample
        else
          late=$((late + 1))
          echo "  $((SECONDS - SOAK_BEGAN)) s: $EVENT: not back within $limit ms: $(first_answer "$STAMP" || echo no) ms, $(adit status 2> /dev/null | tr '\n' ' ')"
        fi
      fi
    fi
    rest=$((pause - ($(now_ms) - ${STAMP/./} / 1000)))
    [ $rest -le 0 ] || sleep "$(awk -v ms=$rest 'BEGIN { print ms / 1000 }')"
  done
  [ $CABLE0 = 1 ] || soak_first_in
  [ $ROUTE0 = 1 ] || { soak_lease; stamp; }
  expect_within 10 "the LAN gets through in the end" first_answer "$STAMP"
  growth=$(soak_growth 2) descriptors=$(soak_growth 3)
  echo "  measured: $events events in $1 s, seed $2: $judged stable moments, $late of them not back in time, the slowest $worst ms"
  echo "  measured: memory $(tail -1 "$LAB_DIR/samples" | cut -d' ' -f2) KiB, $growth KiB more in the last third than in the second, slope $(soak_slope 2) KiB/min; descriptors $descriptors more, slope $(soak_slope 3)/min"
  expect "there were stable moments" test "$judged" -gt 3
  expect "back in time at every one of $judged stable moments" test "$late" -eq 0
  expect "memory does not grow ($growth KiB of at most $5)" test "$growth" -le "$5"
  expect "descriptors do not grow" test "$descriptors" -le 1
}
soak_is_back() { first_answer "$STAMP" && adit_connected; }
wait_for_ms() { # MILLISECONDS COMMAND...: counted from the stamp
  local deadline=$((${STAMP/./} / 1000 + $1)); shift
  until "$@" > /dev/null 2>&1; do [ "$(now_ms)" -lt $deadline ] || return 1; sleep 0.02; done
}

# steady SECONDS MBIT GROWTH_KIB: a house with one tunnel, TCP of so many Mbit/s each way at once and new keys every minute: neither memory
# nor descriptors grow.
steady() {
  local engine load said=0 growth all descriptors
  lab_up; lab_pki
  lab_server home "port 1194" "proto udp" "reneg-sec 60" 'push "redirect-gateway def1"'
  profile home "remote 203.0.113.10 1194 udp"
  config_tunnel home
  config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
  listen far 5201
  adit_run
  expect_within 10 "connected" adit_connected
  expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
  engine=$(engine_pid)
  SOAK_BEGAN=$SECONDS
  ip netns exec "$LAB_LAN" iperf3 -c 192.0.2.80 -p 5201 --bidir -b "$2M" -t "$1" > "$LAB_DIR/iperf" 2>&1 & load=$!; LAB_PIDS+=($load)
  while kill -0 $load 2> /dev/null; do
    soak_sample
    if [ -n "${SOAK_TRACE:-}" ] && [ $(((SECONDS - SOAK_BEGAN) / 60)) -gt $said ]; then
      said=$(((SECONDS - SOAK_BEGAN) / 60))
      echo "  $said min: $(tail -1 "$LAB_DIR/samples" | awk '{ print $2 " KiB anonymous, " $4 " KiB in all, " $3 " descriptors" }')"
    fi
    sleep 5
  done
  wait $load; expect "the load came to its end" test $? -eq 0
  growth=$(soak_growth 2) descriptors=$(soak_growth 3) all=$(soak_growth 4)
  echo "  measured: $(wc -l < "$LAB_DIR/samples") samples: anonymous memory $(tail -1 "$LAB_DIR/samples" | cut -d' ' -f2) KiB, $growth KiB more in the last third than in the second, slope $(soak_slope 2) KiB/min; of all memory, $(tail -1 "$LAB_DIR/samples" | cut -d' ' -f4) KiB, $all and $(soak_slope 4); descriptors $descriptors more"
  expect "it was looked at often enough" test "$(wc -l < "$LAB_DIR/samples")" -gt $(($1 / 10))
  expect "anonymous memory does not grow ($growth KiB of at most $3)" test "$growth" -le "$3"
  expect "nor does all memory ($all KiB of at most $3)" test "$all" -le "$3"
  expect "descriptors do not grow" test "$descriptors" -le 0
  expect "all the while the same engine" test "$engine" = "$(engine_pid)"
  expect "and the same session" adit_status '"status":"connected".*"handshakes":1,"reconnects":0'
  expect "stops in time" adit_stop
}
