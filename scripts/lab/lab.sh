# The laboratory: a house, an ISP, a VPN server and a host of the internet, each a network namespace. Source this file.
#
#   lan host ── gateway ── ISP ─┬─ server (openvpn, hides its clients behind its own address)
#   192.168.77.10   │           └─ far host 192.0.2.80, 2001:db8:80::80
#         lan0 .77.1, wan0 198.51.100.2, 2001:db8:100::2      server 203.0.113.10, 2001:db8:203::10
#
# Names carry $LAB, so that several laboratories can stand side by side. Everything is gone after lab_down.

: "${LAB:=adit-$$}"
LAB_LAN=$LAB-lan LAB_GW=$LAB-gw LAB_ISP=$LAB-isp LAB_SERVER=$LAB-server LAB_FAR=$LAB-far
LAB_DIR=${LAB_DIR:-/tmp/$LAB}
LAB_PIDS=()
LAB_ROOMS=()

lab_in() { local where=$1; shift; ip netns exec "$LAB-$where" "$@"; }

# wait_for SECONDS COMMAND...: polls until the command succeeds; a condition awaited, never a fixed sleep.
wait_for() {
  local deadline=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.05
  done
}

# wire NS_A DEVICE_A NS_B DEVICE_B: a cable between two namespaces.
lab_wire() {
  ip -n "$LAB-$1" link add "$2" type veth peer name "$4" netns "$LAB-$3"
  ip -n "$LAB-$1" link set "$2" up
  ip -n "$LAB-$3" link set "$4" up
}

# lab_room NAME: a namespace that goes with the laboratory.
lab_room() {
  LAB_ROOMS+=("$1")
  ip netns add "$LAB-$1"
  ip -n "$LAB-$1" link set lo up
  # Duplicate address detection would hold every IPv6 address back for a second.
  lab_in "$1" sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0
}

lab_up() {
  local ns
  mkdir -p "$LAB_DIR"
  for ns in lan gw isp server far; do lab_room $ns; done
  lab_wire lan eth0 gw lan0
  lab_wire gw wan0 isp gw0
  lab_wire isp server0 server eth0
  lab_wire isp far0 far eth0
  lab_address lan eth0 192.168.77.10/24 fd77::10/64
  lab_address gw lan0 192.168.77.1/24 fd77::1/64
  lab_address gw wan0 198.51.100.2/24 2001:db8:100::2/64
  lab_address isp gw0 198.51.100.1/24 2001:db8:100::1/64
  lab_address isp server0 203.0.113.1/24 2001:db8:203::1/64
  lab_address isp far0 192.0.2.1/24 2001:db8:80::1/64
  lab_address server eth0 203.0.113.10/24 2001:db8:203::10/64
  lab_address far eth0 192.0.2.80/24 2001:db8:80::80/64
  lab_default lan 192.168.77.1 fd77::1
  lab_default gw 198.51.100.1 2001:db8:100::1
  lab_default server 203.0.113.1 2001:db8:203::1
  lab_default far 192.0.2.1 2001:db8:80::1
  for ns in isp server; do lab_in $ns sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1; done
  # The house's own NAT, as every router has it: without a tunnel the LAN leaves by the WAN.
  lab_in gw sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
  # The ISP knows no way back to the house's private addresses: what leaves the house untranslated is lost, and seen.
  lab_hide server
}

# lab_hide NAME: it hides what it forwards behind its own address.
lab_hide() {
  lab_in "$1" nft -f - <<'NFT'
table inet lab {
  chain out {
    type nat hook postrouting priority srcnat;
    oifname "eth0" masquerade
  }
}
NFT
}

# A second LAN of the house: lan2, 192.168.78.10, at the gateway's lan1.
lab_second_lan() {
  lab_room lan2
  lab_wire lan2 eth0 gw lan1
  lab_address lan2 eth0 192.168.78.10/24 fd78::10/64
  lab_address gw lan1 192.168.78.1/24 fd78::1/64
  lab_default lan2 192.168.78.1 fd78::1
}

# A second way out: the gateway's wan1, 198.51.101.2, less preferred, at the ISP's gw1.
lab_second_uplink() {
  lab_wire gw wan1 isp gw1
  lab_address gw wan1 198.51.101.2/24 2001:db8:101::2/64
  lab_address isp gw1 198.51.101.1/24 2001:db8:101::1/64
  ip -n "$LAB_GW" route add default via 198.51.101.1 dev wan1 metric 20
}

# lab_lan_host NAME IPV4 IPV6 [MAC]: one more host on the first LAN's wire, with a card of its own.
lab_lan_host() {
  lab_room "$1"
  ip -n "$LAB_LAN" link add link eth0 name "mv-$1" netns "$LAB-$1" ${4:+address "$4"} type macvlan mode bridge
  ip -n "$LAB-$1" link set "mv-$1" name eth0
  ip -n "$LAB-$1" link set eth0 up
  lab_address "$1" eth0 "$2" "$3"
  lab_default "$1" 192.168.77.1 fd77::1
}

# A second server: server2, 203.0.114.10; `LAB_AT=server2 lab_server NAME …` starts one there.
lab_second_server() {
  lab_room server2
  lab_wire isp server20 server2 eth0
  lab_address isp server20 203.0.114.1/24 2001:db8:204::1/64
  lab_address server2 eth0 203.0.114.10/24 2001:db8:204::10/64
  lab_default server2 203.0.114.1 2001:db8:204::1
  lab_in server2 sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
  lab_hide server2
}

lab_address() {
  ip -n "$LAB-$1" address add "$3" dev "$2"
  ip -n "$LAB-$1" address add "$4" dev "$2" nodad
}

lab_default() {
  ip -n "$LAB-$1" route add default via "$2"
  ip -n "$LAB-$1" -6 route add default via "$3"
}

# The certificates and keys of a small provider, made on the spot into $LAB_DIR/pki.
lab_pki() {
  local pki=$LAB_DIR/pki
  [ -e "$pki/done" ] && return
  mkdir -p "$pki"
  lab_authority "$pki" ca "Lab CA"
  lab_authority "$pki" other "Another CA"
  lab_certificate "$pki" ca server server.lab serverAuth 3650
  lab_certificate "$pki" ca client client.lab clientAuth 3650
  lab_certificate "$pki" ca expired server.lab serverAuth -1
  openvpn --genkey secret "$pki/ta.key"
  openvpn --genkey secret "$pki/other-ta.key"
  openvpn --genkey tls-crypt-v2-server "$pki/v2-server.key"
  openvpn --tls-crypt-v2 "$pki/v2-server.key" --genkey tls-crypt-v2-client "$pki/v2-client.key"
  touch "$pki/done"
}

lab_authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=$3" \
    -keyout "$1/$2.key" -out "$1/$2.crt" 2>/dev/null
}

# lab_certificate PKI AUTHORITY NAME COMMON_NAME EKU DAYS (negative days: it ended yesterday)
lab_certificate() {
  local pki=$1 authority=$2 name=$3
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$4" \
    -keyout "$pki/$name.key" -out "$pki/$name.csr" 2>/dev/null
  printf 'basicConstraints=CA:FALSE\nkeyUsage=digitalSignature,keyEncipherment\nextendedKeyUsage=%s\n' "$5" > "$pki/$name.ext"
  openssl x509 -req -in "$pki/$name.csr" -CA "$pki/$authority.crt" -CAkey "$pki/$authority.key" -CAcreateserial \
    -days "$6" -extfile "$pki/$name.ext" -out "$pki/$name.crt" 2>/dev/null
}

# lab_server NAME OPTION...: a real openvpn server in the server's namespace; waits until it listens.
# Options are lines of a server configuration, one argument each. What is common stands here.
lab_server() {
  local name=$1 conf=$LAB_DIR/server-$1.conf log=$LAB_DIR/server-$1.log pki=$LAB_DIR/pki
  shift
  : > "$log"
  {
    printf '%s\n' "dev tun-$name" "dev-type tun" "ca $pki/ca.crt" "dh none" "topology subnet" \
      "keepalive 10 60" "verb 4" "user nobody" "group nogroup" "persist-key" "persist-tun" "script-security 2" \
      "sndbuf 1000000" "rcvbuf 1000000" "txqueuelen 1000" "writepid $LAB_DIR/server-$name.pid" "log $log"
    local line has_cert=0 has_server=0
    for line in "$@"; do
      case $line in cert\ *) has_cert=1 ;; server\ * | mode\ server) has_server=1 ;; esac
      printf '%s\n' "$line"
    done
    [ $has_cert -eq 1 ] || printf 'cert %s\nkey %s\n' "$pki/server.crt" "$pki/server.key"
    [ $has_server -eq 1 ] || printf 'server 10.8.0.0 255.255.255.0\n'
  } > "$conf"
  lab_in "${LAB_AT:-server}" openvpn --config "$conf" &
  LAB_PIDS+=($!)
  # Some cases kill it; the shell need not tell.
  disown $!
  wait_for 10 grep -q 'Initialization Sequence Completed' "$log" || { echo "lab: the openvpn server did not start:" >&2; tail -5 "$log" >&2; return 1; }
}

lab_server_stop() {
  local pid
  pid=$(cat "$LAB_DIR/server-$1.pid" 2>/dev/null) || return 0
  kill "${2:--TERM}" "$pid" 2>/dev/null || return 0
  wait_for 5 eval "! kill -0 $pid 2>/dev/null"
}

# lab_profile FILE OPTION...: a client profile with everything inline, as a provider would hand it out.
lab_profile() {
  local file=$1 pki=$LAB_DIR/pki
  shift
  {
    printf '%s\n' client "dev tun" nobind "remote-cert-tls server" "$@"
    lab_inline ca "$pki/${LAB_CA:-ca}.crt"
    if [ "${LAB_CLIENT_CERT:-1}" = 1 ]; then
      lab_inline cert "$pki/client.crt"
      lab_inline key "$pki/client.key"
    fi
  } > "$file"
}

lab_inline() { printf '<%s>\n' "$1"; cat "$2"; printf '</%s>\n' "$1"; }

# lab_capture NS DEVICE FILE [FILTER]: a capture that has begun when the call returns; lab_capture_end FILE ends it.
lab_capture() {
  local where=$1 device=$2 file=$3
  shift 3
  : > "$file.log"
  ip netns exec "$LAB-$where" tcpdump -i "$device" -n --immediate-mode -U -w "$file" "$@" 2> "$file.log" &
  LAB_PIDS+=($!)
  echo $! > "$file.pid"
  wait_for 5 grep -q 'listening on' "$file.log"
}

lab_capture_end() {
  local pid
  pid=$(cat "$1.pid")
  kill -INT "$pid" 2>/dev/null
  wait_for 5 eval "! kill -0 $pid 2>/dev/null"
}

lab_down() {
  local pid ns
  for pid in "${LAB_PIDS[@]}"; do kill "$pid" 2>/dev/null; done
  for pid in "${LAB_PIDS[@]}"; do wait "$pid" 2>/dev/null; done
  # Whatever still runs inside our own namespaces was started by this laboratory.
  for ns in "${LAB_ROOMS[@]}"; do
    ip netns pids "$LAB-$ns" 2>/dev/null | while read -r pid; do kill -9 "$pid" 2>/dev/null; done
    ip netns del "$LAB-$ns" 2>/dev/null
  done
  rm -rf "/etc/netns/$LAB_GW"
  [ "${LAB_KEEP_FILES:-0}" = 1 ] || rm -rf "$LAB_DIR"
  return 0
}
