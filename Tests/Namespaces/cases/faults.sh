# What goes wrong at the handshake has its own plain error.
lab_up; lab_pki
fault() { # CODE WORDS
  expect_within 12 "$1 is named in status" adit_status "\"code\":\"$1\""
  expect "and in the log: $2" adit_log "$2"
  refuse "and nothing is connected" adit_connected
  expect "stops in time" adit_stop
}
lab_server good "port 1194" "proto udp" "tls-crypt $LAB_DIR/pki/ta.key"
LAB_CA=other lab_profile "$LAB_DIR/ca.ovpn" "remote 203.0.113.10 1194 udp"
lab_inline tls-crypt "$LAB_DIR/pki/ta.key" >> "$LAB_DIR/ca.ovpn"
adit_start connect "$LAB_DIR/ca.ovpn" --lan lan0
fault tls_certificate_untrusted 'not signed by the CA'

lab_profile "$LAB_DIR/key.ovpn" "remote 203.0.113.10 1194 udp" "connect-timeout 3"
lab_inline tls-crypt "$LAB_DIR/pki/other-ta.key" >> "$LAB_DIR/key.ovpn"
adit_start connect "$LAB_DIR/key.ovpn" --lan lan0
fault server_silent_or_wrong_key 'wrong tls-auth or tls-crypt key'

lab_profile "$LAB_DIR/name.ovpn" "remote 203.0.113.10 1194 udp" "verify-x509-name other.lab name"
lab_inline tls-crypt "$LAB_DIR/pki/ta.key" >> "$LAB_DIR/name.ovpn"
adit_start connect "$LAB_DIR/name.ovpn" --lan lan0
fault tls_certificate_wrong_name 'another name'
lab_server_stop good

lab_server old "port 1194" "proto udp" "cert $LAB_DIR/pki/expired.crt" "key $LAB_DIR/pki/expired.key"
lab_profile "$LAB_DIR/old.ovpn" "remote 203.0.113.10 1194 udp"
adit_start connect "$LAB_DIR/old.ovpn" --lan lan0
fault tls_certificate_expired 'has expired'
lab_server_stop old

# Over TCP a server that cannot open what we send closes the connection.
lab_server stream "port 1194" "proto tcp-server" "tls-crypt $LAB_DIR/pki/ta.key"
lab_profile "$LAB_DIR/stream.ovpn" "remote 203.0.113.10 1194 tcp"
lab_inline tls-crypt "$LAB_DIR/pki/other-ta.key" >> "$LAB_DIR/stream.ovpn"
adit_start connect "$LAB_DIR/stream.ovpn" --lan lan0
fault server_silent_or_wrong_key 'wrong tls-auth or tls-crypt key'
lab_server_stop stream

lab_profile "$LAB_DIR/refused.ovpn" "remote 203.0.113.10 1194 tcp"
adit_start connect "$LAB_DIR/refused.ovpn" --lan lan0
fault tcp_refused 'refuses the TCP connection'
