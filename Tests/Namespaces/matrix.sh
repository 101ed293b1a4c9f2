# One cell of the matrix: a server and a profile that agree on transport, wrap and cipher; the LAN must get through. Sourced by the cases.

# cell TRANSPORT WRAP CIPHER AUTH
cell() {
  local transport=$1 wrap=$2 cipher=$3 auth=$4 name="$1/$2/$3/$4" pki=$LAB_DIR/pki
  local server=("port 1194" "data-ciphers $cipher" "auth $auth" 'push "redirect-gateway def1"')
  local client=("remote 203.0.113.10 1194 $transport" "data-ciphers $cipher" "auth $auth")
  if [ "$transport" = tcp ]; then server+=("proto tcp-server"); else server+=("proto udp"); fi
  case $wrap in
    tls-auth) server+=("tls-auth $pki/ta.key 0"); client+=("key-direction 1") ;;
    tls-crypt) server+=("tls-crypt $pki/ta.key") ;;
    tls-crypt-v2) server+=("tls-crypt-v2 $pki/v2-server.key force-cookie") ;;
  esac
  lab_server cell "${server[@]}" || { not_ok "$name: the server starts"; return; }
  lab_profile "$LAB_DIR/cell.ovpn" "${client[@]}"
  case $wrap in
    tls-auth | tls-crypt) lab_inline "$wrap" "$pki/ta.key" >> "$LAB_DIR/cell.ovpn" ;;
    tls-crypt-v2) lab_inline "$wrap" "$pki/v2-client.key" >> "$LAB_DIR/cell.ovpn" ;;
  esac
  adit_start connect "$LAB_DIR/cell.ovpn" --lan lan0
  expect_within 10 "$name: connected" adit_connected
  expect_within 5 "$name: the LAN reaches the far host" ping_lan 192.0.2.80
  expect "$name: status names cipher and wrap" adit_status "\"cipher\":\"$cipher\".*\"control\":\"$wrap\""
  # 50 ms apart: the server's Nagle may hold a second packet back until our delayed acknowledgement, and ping does not wait for it.
  expect "$name: twenty pings, none lost" sh -c "ip netns exec $LAB_LAN ping -c 20 -i 0.05 -s 1300 -q 192.0.2.80 | grep -q ' 0% packet loss'"
  expect "$name: stops in time" adit_stop
  lab_server_stop cell
}
