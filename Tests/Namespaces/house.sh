# A house of several tunnels and LANs: its configuration, what the far host sees of it, and what must not be seen on the WAN.
# Sourced by the cases that need it.

mkdir -p "$LAB_DIR/config"
# config_tunnel NAME LINE...: a tunnel with the profile NAME.ovpn. config_gateway NAME LINE...
config_tunnel() { local name=$1; shift; config_section tunnel "$name" "option profile '$name.ovpn'" "$@"; }
config_gateway() { local name=$1; shift; config_section gateway "$name" "$@"; }
config_section() { local type=$1 name=$2; shift 2; { printf "config %s '%s'\n" "$type" "$name"; [ $# -eq 0 ] || printf '\t%s\n' "$@"; } > "$LAB_DIR/config/$type-$name"; }
profile() { local name=$1; shift; lab_profile "$LAB_DIR/config/$name.ovpn" "$@"; chmod 600 "$LAB_DIR/config/$name.ovpn"; }
adit_run() { adit_start run --config "$LAB_DIR/config"; }
adit_reload() { local lines; lines=$(wc -l < "$LAB_DIR/adit.log"); kill -HUP "$ADIT_PID"; wait_for 3 sh -c "tail -n +$((lines + 1)) $LAB_DIR/adit.log | grep -q 'reading the configuration again'"; }
tunnel_is() { adit status "$1" --json 2> /dev/null | grep -q "\"status\":\"$2\""; }
active_is() { adit_status "\"name\":\"$1\",\"active\":\"$2\""; }

# The router drops what comes in by a device that it would not answer by (RFC 3704).
strict_filter() {
  lab_in gw sh -c 'for file in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 1 > $file; done'
}

# leak_watch FILTER...: what of these is seen beyond the uplink from now on; leak_none "words" ends it.
leak_watch() { lab_capture isp gw0 "$LAB_DIR/wan.pcap" "${*:-host 192.0.2.80 or host 2001:db8:80::80 or net 192.168.0.0/16 or net fd77::/64 or net fd78::/64}"; }
leak_none() {
  lab_capture_end "$LAB_DIR/wan.pcap"
  local seen; seen=$(tcpdump -n -r "$LAB_DIR/wan.pcap" 2> /dev/null)
  if [ -z "$seen" ]; then ok "$1: no clear packet on the WAN"; else not_ok "$1: clear packets on the WAN"; head -5 <<< "$seen"; fi
}

# leak_control NS [TARGET]: without Adit the same watch sees what that host sends, or it would prove nothing.
leak_control() {
  local target=${2:-192.0.2.80}
  lab_in "$1" ping -c 1 -W 0.3 -q "$target" > /dev/null
  lab_capture_end "$LAB_DIR/wan.pcap"
  expect "the watch on the WAN sees a clear packet of $1" sh -c "tcpdump -n -r $LAB_DIR/wan.pcap 2> /dev/null | grep -q $target"
}

# exit_of NS: the address by which the far host sees that namespace. count_exits once before.
count_exits() {
  lab_in far nft -f - <<'NFT'
table ip seen {
  set from { type ipv4_addr; flags dynamic; }
  chain in {
    type filter hook input priority 0;
    icmp type echo-request update @from { ip saddr }
  }
}
NFT
}
exit_of() { # NS [TARGET]
  lab_in far nft flush set ip seen from
  lab_in "$1" ping -c 1 -W 2 -q "${2:-192.0.2.80}" > /dev/null || return 1
  lab_in far nft list set ip seen from | grep -oE '[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+' | tr '\n' ' ' | sed 's/ $//'
}
exits_by() { [ "$(exit_of "$1" "${3:-}")" = "$2" ]; } # NS ADDRESS [TARGET]

# listen NS PORT: something like SSH answers there. reaches NS HOST PORT: a whole conversation. refused NS HOST PORT: at once.
listen() { lab_in "$1" iperf3 -s -p "$2" > /dev/null 2>&1 & LAB_PIDS+=($!); wait_for 3 sh -c "ip netns exec $LAB-$1 ss -tln | grep -q ':$2 '"; }
reaches() { lab_in "$1" timeout 4 iperf3 -c "$2" -p "$3" -n 20K --connect-timeout 1500 > /dev/null 2>&1; }
refused() { lab_in "$1" timeout 2 bash -c "exec 3<> /dev/tcp/$2/$3" 2>&1 | grep -qE 'refused|unreachable|No route'; }
silent_ping() { ! lab_in "$1" ping -c 1 -W 1 -q "$2" > /dev/null; }

# flood_begin NS TARGET [INTERVAL]; flood_end: how many were lost, in $LOST, of $SENT.
flood_begin() { ip netns exec "$LAB-$1" ping -i "${3:-0.05}" -W 1 -q "$2" > "$LAB_DIR/flood" 2>&1 & FLOOD=$!; LAB_PIDS+=($FLOOD); }
flood_end() {
  kill -INT "$FLOOD"; wait "$FLOOD" 2> /dev/null
  read -r SENT LOST < <(sed -nE 's/^([0-9]+) packets transmitted, ([0-9]+) received.*/\1 \2/p' "$LAB_DIR/flood")
  LOST=$((SENT - LOST))
}
