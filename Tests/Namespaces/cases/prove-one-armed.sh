# `adit prove` where the LAN device is the way out as well: what comes back to the client goes by it too, and is no leak.
lab_up; lab_pki
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
home_profile
config() { HOME_LAN=$1 home_config "option kill_switch '$2'" "option dns 'off'"; } # LAN KILL_SWITCH
proves() { # CODE ARGUMENT...
  local code=$1; shift
  adit prove --config "$LAB_DIR/config" "$@" > "$LAB_DIR/prove.log" 2>&1
  [ $? -eq "$code" ] || { cat "$LAB_DIR/prove.log"; return 1; }
}
says() { grep -qE "$1" "$LAB_DIR/prove.log" || { cat "$LAB_DIR/prove.log"; return 1; }; }
ip -n "$LAB_GW" link del lan0
lab_in gw sysctl -qw net.ipv4.icmp_ratelimit=0

try() { # DEVICE CLIENT-PLACE
  config "$1" always
  expect "$1: arm" adit arm --config "$LAB_DIR/config"
  expect "$1, armed: no leak" proves 0
  expect "$1: the client stands where it should" says "a client at $2"
  expect "$1: refusals come back" says 'TCP, port 443 +refused: TCP reset'
  adit_start run --config "$LAB_DIR/config"
  expect_within 10 "$1: connected" adit_connected
  expect "$1, connected, down and up: no leak" proves 0 --down
  expect "$1: IPv4 went inside" says 'inside tun-home'
  config "$1" off
  kill -HUP "$ADIT_PID"
  expect_within 5 "$1: reloaded" adit_status '"kill_switch":"off"'
  adit down home
  expect_within 5 "$1: the tunnel is down" adit_status '"status":"disconnected"'
  expect "$1, nothing closes it: a leak" proves 1
  expect "$1: by the card itself" says "in clear on $1\$"
  # What was asked for outlives the daemon.
  adit up home
  expect "$1: stop" adit_stop
}
try wan0 'adit-prove0, a net of its own'
ip -n "$LAB_GW" link add br-lan type bridge
ip -n "$LAB_GW" address flush dev wan0
ip -n "$LAB_GW" link set wan0 master br-lan
ip -n "$LAB_GW" link set br-lan up
lab_address gw br-lan 198.51.100.2/24 2001:db8:100::2/64
# The IPv6 default of the lab stays with its first device else.
ip -n "$LAB_GW" -6 route flush default
lab_default gw 198.51.100.1 2001:db8:100::1
try br-lan 'br-lan, 198.51.100.254'
