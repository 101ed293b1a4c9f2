# What a case says: expect, refuse, and how adit is started and asked in the gateway's namespace. Sourced by run.

FAILED_CHECKS=0
ok() { echo "  ok: $*"; }
not_ok() { echo "  NOT OK: $*"; FAILED_CHECKS=$((FAILED_CHECKS + 1)); }

# expect "words" COMMAND...: the command must succeed.
expect() { local words=$1; shift; if "$@"; then ok "$words"; else not_ok "$words ($*)"; fi; }
# refuse "words" COMMAND...: the command must fail.
refuse() { local words=$1; shift; if "$@"; then not_ok "$words ($*)"; else ok "$words"; fi; }
# expect_within SECONDS "words" COMMAND...
expect_within() { local seconds=$1 words=$2; shift 2; if wait_for "$seconds" "$@"; then ok "$words"; else not_ok "$words, not within $seconds s ($*)"; fi; }

finish() {
  if [ "$FAILED_CHECKS" -gt 0 ]; then
    for file in "$LAB_DIR"/*.log; do echo "--- $file"; tail -40 "$file"; done
    exit 1
  fi
  exit 0
}

# The configuration that most cases need: $LAB_DIR/config with the tunnel `home`, and a gateway `lan` of lan0.
# home_profile LINE...: its profile, for the server at port 1194. home_config LINE...: the settings, and further options of the gateway.
home_profile() {
  mkdir -p "$LAB_DIR/config"
  lab_profile "$LAB_DIR/config/home.ovpn" "remote 203.0.113.10 1194 udp" "$@"
  chmod 600 "$LAB_DIR/config/home.ovpn"
}
home_config() {
  mkdir -p "$LAB_DIR/config"
  {
    printf "config tunnel 'home'\n\toption profile 'home.ovpn'\n\nconfig gateway 'lan'\n\tlist tunnel 'home'\n\tlist lan '%s'\n" "${HOME_LAN:-lan0}"
    [ $# -eq 0 ] || printf '\t%s\n' "$@"
  } > "$LAB_DIR/config/gateway"
}

# house_nat FAMILY: the house's own translation, as every router has it.
house_nat() { lab_in gw nft "table $1 house { chain out { type nat hook postrouting priority srcnat; oifname \"wan0\" masquerade; }; }"; }

# adit_start ARGUMENT...: in the gateway, with a state directory of its own; log in $LAB_DIR/adit.log.
adit_start() {
  : > "$LAB_DIR/adit.log"
  ip netns exec "$LAB_GW" "$ADIT" "$@" --state-dir "$LAB_DIR/state" >> "$LAB_DIR/adit.log" 2>&1 &
  ADIT_PID=$!
  LAB_PIDS+=("$ADIT_PID")
}
adit() { ip netns exec "$LAB_GW" "$ADIT" "$@" --state-dir "$LAB_DIR/state"; }
adit_log() { grep -qE "$1" "$LAB_DIR/adit.log"; }
# adit_status JQ-LIKE-PATTERN: an extended regular expression over the JSON of `adit status --json`.
adit_status() { adit status --json 2>/dev/null | grep -qE "$1"; }
adit_connected() { adit_status '"status":"connected"'; }
# adit_stop: SIGTERM, and the seconds it took.
adit_stop() {
  local began=$EPOCHREALTIME
  kill -TERM "$ADIT_PID" 2>/dev/null
  wait_for 8 eval "! kill -0 $ADIT_PID 2>/dev/null" || return 1
  ADIT_STOP_MS=$(( (${EPOCHREALTIME/./} - ${began/./}) / 1000 ))
}
# Not nft, which is a child too while it runs.
engine_pids() { pgrep -P "$ADIT_PID" -f ' engine '; }
engine_pid() { engine_pids | head -1; }
# fresh_engine PID: another engine than this one runs.
fresh_engine() { engine_pids | grep -qvx "$1"; }
engines_running() { [ "$(engine_pids | wc -l)" -eq "$1" ]; }
descriptors_below() { [ "$(ls "/proc/$ADIT_PID/fd" | wc -l)" -lt "$1" ]; }
ping_lan() { lab_in lan ping -c "${2:-1}" -i 0.2 -W 2 -q "$1"; }
# nothing_left: the gateway's network is as it was before adit.
network_state() {
  ip -n "$LAB_GW" -o link show | sed -E 's/^[0-9]+: ([^:@]+).*/\1/' | sort
  ip -n "$LAB_GW" rule show; ip -n "$LAB_GW" -6 rule show
  ip -n "$LAB_GW" route show table all | grep -v '^broadcast\|^local\|^multicast' | sort
  ip -n "$LAB_GW" -6 route show table all | grep -vE '^(local|multicast|anycast)' | sed 's/ expires [0-9]*sec//' | sort
  lab_in gw nft list ruleset
  lab_in gw sysctl net.ipv4.ip_forward net.ipv4.conf.all.src_valid_mark net.ipv6.conf.all.forwarding net.ipv4.conf.all.send_redirects
}
