# C-2: what the server says at the login: a wrong password, mended and read again; not now; a question; and settings that make no tunnel.
. Tests/Namespaces/blame.sh
lab_up; lab_pki
# The answer is the file `reason`; without one the password counts. openvpn 2.6 takes the reason from the file that it names.
cat > "$LAB_DIR/verify" <<SH
#!/bin/sh
if [ -e $LAB_DIR/reason ]; then cat $LAB_DIR/reason > "\$auth_failed_reason_file"; exit 1; fi
{ read -r user; IFS= read -r password; } < "\$1"
[ "\$password" = right ]
SH
chmod 755 "$LAB_DIR" "$LAB_DIR/verify"
login_server() {
  lab_server login "port 1194" "proto udp" "verify-client-cert none" "username-as-common-name" \
    "auth-user-pass-verify $LAB_DIR/verify via-file" "tmp-dir /tmp" "$@"
}
login_server
export LAB_CLIENT_CERT=0
profile_is "remote 203.0.113.10 1194 udp" "auth-user-pass home.auth"
password() { printf 'guest\n%s\n' "$1" > "$LAB_DIR/config/home.auth"; chmod 600 "$LAB_DIR/config/home.auth"; }

password wrong
run_home
says password-wrong
expect "the account is not locked by haste: one attempt" test "$(grep -c 'auth user-pass' "$LAB_DIR/server-login.log")" -le 2
password right
kill -HUP "$ADIT_PID"
connects
refuse "the password stands nowhere in the log" adit_log 'wrong[^ a-z]*$'

echo 'TEMP[backoff 2]:the directory is away' > "$LAB_DIR/reason"
adit reconnect home
says login-temporary
rm "$LAB_DIR/reason"
connects

echo 'CRV1:R,E:Om01u7Fh4LrGBS7uh0SWmzwabUiGiW6l:Z3Vlc3Q=:Please enter the code of your token' > "$LAB_DIR/reason"
adit reconnect home
says login-question
rm "$LAB_DIR/reason"
adit reconnect home
connects
expect "stops in time" adit_stop
lab_server_stop login

login_server "data-ciphers CHACHA20-POLY1305"
profile_is "remote 203.0.113.10 1194 udp" "auth-user-pass home.auth" "data-ciphers AES-256-GCM"
run_home
says cipher
expect "stops in time" adit_stop
lab_server_stop login

# A server without addresses to give.
login_server "mode server" "tls-server" "ifconfig 10.8.0.1 255.255.255.0"
profile_is "remote 203.0.113.10 1194 udp" "auth-user-pass home.auth"
run_home
says no-tunnel-address
expect "stops in time" adit_stop
