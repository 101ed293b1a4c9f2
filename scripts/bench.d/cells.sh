# One figure each. Sourced by scripts/bench.

# What the kernel counted, to the nanosecond, over all threads.
cpu() {
  local pid sum=0 field
  for pid in "$@"; do
    for field in /proc/"$pid"/task/*/schedstat; do read -r field _ < "$field"; sum=$((sum + field)); done
  done
  echo "$sum"
}

note() { echo "$*" >> "$RESULTS"; } # CASE DIRECTION ROUND CLIENT MEASURE VALUE

# flow CASE DIRECTION ROUND CLIENT NS ADDRESS IPERF-OPTION...: one iperf3 flow; what the client's processes spent for each delivered
# gigabyte, and how much was delivered.
flow() {
  local case=$1 direction=$2 round=$3 client=$4 where=$5 address=$6 before after
  shift 6
  [ "$direction" = up ] || set -- "$@" -R
  before=$(cpu "${CLIENT_PIDS[@]}")
  lab_in "$where" timeout $((SECONDS_EACH + 20)) iperf3 -c "$address" -t "$SECONDS_EACH" -J "$@" > "$LAB_DIR/iperf.json" || {
    echo "bench: $case $direction: iperf3: $(grep '"error"' "$LAB_DIR/iperf.json")" >&2; return 1; }
  after=$(cpu "${CLIENT_PIDS[@]}")
  local figures measure value
  figures=$(scripts/bench.d/delivered "$LAB_DIR/iperf.json" $((after - before))) || return 1
  while read -r measure value; do note "$case" "$direction" "$round" "$client" "$measure" "$value"; done <<< "$figures"
  echo "bench: $case $direction, round $round, $client:" $figures >&2
}

both() { # CASE ROUND CLIENT NS ADDRESS IPERF-OPTION...
  flow "$1" up "${@:2}" && flow "$1" down "${@:2}"
}

# echoes CASE ROUND CLIENT: median and 99th percentile of the round-trip time of pings 200 times a second.
echoes() {
  lab_in gw ping -n -i 0.005 -c $((SECONDS_EACH * 200)) "$4" > "$LAB_DIR/ping.txt" || return 1
  sed -nE 's/.* time=([0-9.]+) ms$/\1/p' "$LAB_DIR/ping.txt" | sort -n > "$LAB_DIR/ping.sorted"
  note "$1" - "$2" "$3" rtt50 "$(awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }' "$LAB_DIR/ping.sorted")"
  note "$1" - "$2" "$3" rtt99 "$(awk '{ v[NR] = $1 } END { print v[int(NR * 0.99 + 0.5)] }' "$LAB_DIR/ping.sorted")"
  echo "bench: $1, round $2, $3: $(tail -2 "$RESULTS" | awk '{ printf "%s %s  ", $5, $6 }')" >&2
}

pss() { awk '/^Pss:/ { print $2 }' "/proc/$1/smaps_rollup"; }
pss_sum() { local pid sum=0; for pid in "${CLIENT_PIDS[@]}"; do sum=$((sum + $(pss "$pid"))); done; echo "$sum"; }
