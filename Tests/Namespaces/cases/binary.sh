# The binary is static, starts in a chroot that holds only /proc, and the engine has nothing.
lab_up; lab_pki
expect "file says static" sh -c "file $ADIT | grep -q 'static'"
refuse "no interpreter" sh -c "file $ADIT | grep -q interpreter"
mkdir -p "$LAB_DIR/root/proc"; cp "$ADIT" "$LAB_DIR/root/adit"
mount -t proc proc "$LAB_DIR/root/proc"
expect "version in a bare chroot" sh -c "chroot $LAB_DIR/root /adit version | grep -q OpenSSL"
umount "$LAB_DIR/root/proc"
lab_server bare "port 1194" "proto udp"
lab_profile "$LAB_DIR/bare.ovpn" "remote 203.0.113.10 1194 udp"
adit_start connect "$LAB_DIR/bare.ovpn" --lan lan0
expect_within 10 "connected" adit_connected
status=/proc/$(engine_pid)/status
refuse "the engine is not uid 0" grep -qE '^Uid:.*\b0\b' "$status"
expect "no capability" grep -qE '^CapEff:\s+0+$' "$status"
expect "none to gain" grep -qE '^CapBnd:\s+0+$' "$status"
expect "no new privileges" grep -qE '^NoNewPrivs:\s+1$' "$status"
refuse "no file of the disk is open" sh -c "ls -l /proc/$(engine_pid)/fd | grep -E -- '-> /(etc|tmp|home|root|usr|var)/'"
refuse "no secret in its arguments or environment" sh -c "cat /proc/$(engine_pid)/cmdline /proc/$(engine_pid)/environ | grep -aq -- 'BEGIN'"
expect "stops in time" adit_stop
