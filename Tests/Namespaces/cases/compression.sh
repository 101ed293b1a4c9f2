# Servers that still compress are understood; nothing is compressed on the way out.
lab_up; lab_pki
framing() { # SERVER-LINE CLIENT-LINE
  lab_server squeeze "port 1194" "proto udp" "allow-compression yes" "$1" 'push "redirect-gateway def1"'
  lab_profile "$LAB_DIR/squeeze.ovpn" "remote 203.0.113.10 1194 udp" "allow-compression asym" "$2"
  adit_start connect "$LAB_DIR/squeeze.ovpn" --lan lan0
  expect_within 10 "$1 | $2: connected" adit_connected
  expect_within 5 "$1 | $2: the LAN gets through" ping_lan 192.0.2.80
  expect "$1 | $2: compressible pings come back" sh -c "ip netns exec $LAB_LAN ping -c 5 -i 0.02 -s 1000 -p 41 -q 192.0.2.80 | grep -q ' 0% packet loss'"
  expect "$1 | $2: stops in time" adit_stop
  lab_server_stop squeeze
}
framing "comp-lzo yes" "comp-lzo"
framing "compress lz4" "compress lz4"
framing "compress lz4-v2" "compress lz4-v2"
framing "compress stub-v2" "compress stub-v2"
framing "comp-lzo no" "comp-lzo no"
