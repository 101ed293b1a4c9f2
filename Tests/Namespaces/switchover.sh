# A house with one tunnel and two servers of one provider, the first of which is preferred. Sourced by the cases switchover-*.
. Tests/Namespaces/house.sh

# two_servers LINE...: both are there to be started by `first` and `second`, with nets of their own inside.
two_servers() {
  lab_up; lab_pki; lab_second_server
  COMMON=("port 1194" "proto udp" "explicit-exit-notify 1" 'push "redirect-gateway def1"' "$@")
}
first() { lab_server first "server 10.8.0.0 255.255.255.0" 'push "dhcp-option DNS 10.8.0.1"' "${COMMON[@]}"; }
second() { LAB_AT=server2 lab_server second "server 10.9.0.0 255.255.255.0" 'push "dhcp-option DNS 10.9.0.1"' "${COMMON[@]}"; }
# two_remotes LINE...: the profile; the first server is looked for again soon.
two_remotes() {
  profile home "remote 203.0.113.10 1194 udp" "remote 203.0.114.10 1194 udp" "connect-timeout 3" "$@"
  config_tunnel home "option return_after '${RETURN_AFTER:-3s}'"
  config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
}
serves() { adit_status "\"status\":\"connected\".*\"remote\":\{[^}]*\"address\":\"$1\""; }
status_number() { adit status home --json 2> /dev/null | grep -oE "\"$1\":[0-9]+" | head -1 | cut -d: -f2; }
# Of T's default every family's route, as the kernel has told of it since.
watch_routes() { ip netns exec "$LAB_GW" ip -4 -ts monitor route > "$LAB_DIR/routes" 2>&1 & ROUTES=$!; LAB_PIDS+=($ROUTES); }
never_without_a_way() { kill "$ROUTES"; ! grep -E '^\[.*Deleted default dev tun-' "$LAB_DIR/routes" | grep -q 'table 44001'; }
one_device() { [ "$(ip -n "$LAB_GW" -o link show type tun 2> /dev/null | grep -c tun-home)" -eq 1 ]; }
