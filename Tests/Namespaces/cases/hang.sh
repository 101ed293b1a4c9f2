# An engine that hangs: found out, ended and replaced; and no stop waits for it.
lab_up; lab_pki
lab_server hang "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/hang.ovpn" "remote 203.0.113.10 1194 udp"
before=$(network_state)
adit_start connect "$LAB_DIR/hang.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
first=$(engine_pid)
kill -STOP "$first"
expect "status answers all the same" adit_status '"name":"hang"'
expect_within 25 "a fresh engine runs" fresh_engine "$first"
expect_within 10 "connected again" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "the log says why" adit_log 'does not answer and is ended'
kill -STOP "$(engine_pid)"
expect "stops although the engine hangs" adit_stop
expect "within 5 s ($ADIT_STOP_MS ms)" test "$ADIT_STOP_MS" -lt 5000
expect "all is as it was before" test "$before" = "$(network_state)"

# The same while it is connecting.
lab_server_stop hang -KILL
adit_start connect "$LAB_DIR/hang.ovpn" --lan lan0
expect_within 5 "connecting" adit_status '"status":"connecting"'
kill -STOP "$(engine_pid)"
expect "stops" adit_stop
expect "within 5 s ($ADIT_STOP_MS ms)" test "$ADIT_STOP_MS" -lt 5000
