# User and password without a client certificate, S-10: a wrong password has its own sentence and the right one mends it.
lab_up; lab_pki
cat > "$LAB_DIR/verify" <<'SH'
#!/bin/sh
{ read -r user; IFS= read -r password; } < "$1"
[ "$user" = guest ] && [ "$password" = "pass word\$1 " ]
SH
chmod 755 "$LAB_DIR" "$LAB_DIR/verify"
lab_server login "port 1194" "proto udp" "verify-client-cert none" "username-as-common-name" \
  "auth-user-pass-verify $LAB_DIR/verify via-file" "tmp-dir /tmp" 'push "redirect-gateway def1"'
LAB_CLIENT_CERT=0 lab_profile "$LAB_DIR/login.ovpn" "remote 203.0.113.10 1194 udp" "auth-user-pass login.auth"
printf 'guest\r\nwrong\r\n' > "$LAB_DIR/login.auth"; chmod 600 "$LAB_DIR/login.auth"
adit_start connect "$LAB_DIR/login.ovpn" --lan lan0
expect_within 10 "a wrong password is named as such" adit_status '"code":"auth_failed"'
expect "the log says it in words" adit_log 'refuses user name or password'
refuse "the password stands nowhere in the log" adit_log 'wrong[^a-z ]'
printf 'guest\r\npass word$1 \r\n' > "$LAB_DIR/login.auth"
expect_within 30 "the mended file is found, and connects by itself" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "status names the user" adit_status '"user":"guest"'
expect "stops in time" adit_stop
