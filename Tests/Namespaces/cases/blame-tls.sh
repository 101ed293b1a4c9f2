# C-2: certificates and TLS: each that does not fit has its own sentence.
. Tests/Namespaces/blame.sh
lab_up; lab_pki
pki=$LAB_DIR/pki
plain=("remote 203.0.113.10 1194 udp")
# certified NAME OPTION...: a server with that certificate.
certified() { local name=$1; shift; lab_server cert "port 1194" "proto udp" "cert $pki/$name.crt" "key $pki/$name.key" "$@"; }
tls_case() { # FAULT
  run_home
  says "$1"
  expect "$1: the server is known to answer" adit_status '"server: it answers'
  refuse "$1: nothing is connected" adit_connected
  expect "$1: stops in time" adit_stop
}

profile_is "${plain[@]}"
certified expired
tls_case certificate-expired
lab_server_stop cert

# From the authority's own book, with a beginning in years, and a list of what it took back.
touch "$pki/index"; echo 01 > "$pki/serial"; echo 01 > "$pki/crlnumber"
cat > "$pki/book" <<CNF
[ca]
default_ca = book
[book]
database = $pki/index
serial = $pki/serial
crlnumber = $pki/crlnumber
new_certs_dir = $pki
certificate = $pki/ca.crt
private_key = $pki/ca.key
default_md = sha256
policy = any
unique_subject = no
default_crl_days = 30
[any]
commonName = supplied
CNF
book() { # NAME BEGIN END
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=server.lab" -keyout "$pki/$1.key" -out "$pki/$1.csr" 2> /dev/null
  openssl ca -batch -config "$pki/book" -extfile "$pki/server.ext" -startdate "$2" -enddate "$3" -in "$pki/$1.csr" -out "$pki/$1.crt" 2> /dev/null
}
book future 20400101000000Z 20490101000000Z
book revoked 20200101000000Z 20490101000000Z
openssl ca -config "$pki/book" -revoke "$pki/revoked.crt" 2> /dev/null
openssl ca -config "$pki/book" -gencrl -out "$pki/crl.pem" 2> /dev/null
certified future
tls_case certificate-future
lab_server_stop cert

certified revoked
profile_is "${plain[@]}"
lab_inline crl-verify "$pki/crl.pem" >> "$LAB_DIR/config/home.ovpn"
tls_case certificate-revoked
lab_server_stop cert

certified client
profile_is "${plain[@]}"
tls_case certificate-usage
lab_server_stop cert

certified server
profile_is "${plain[@]}" "verify-x509-name other.lab name"
tls_case wrong-name
LAB_CA=other profile_is "${plain[@]}"
tls_case wrong-ca
lab_server_stop cert

certified server "tls-version-min 1.3"
profile_is "${plain[@]}" "tls-version-max 1.2" "hand-window 8"
tls_case tls-version
lab_server_stop cert
