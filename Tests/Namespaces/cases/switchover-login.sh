# C-3: a provider that lets a login in once at a time. The session that serves ends first, but only once the better server has
# answered; and where both doors stay closed, what served serves on.
. Tests/Namespaces/switchover.sh
two_servers
mkdir -p "$LAB_DIR/logins"; chmod 777 "$LAB_DIR/logins"; chmod 755 "$LAB_DIR"
printf '#!/bin/sh\nmkdir "%s/$common_name" 2> /dev/null\n' "$LAB_DIR/logins" > "$LAB_DIR/in"
printf '#!/bin/sh\nrmdir "%s/$common_name"\n' "$LAB_DIR/logins" > "$LAB_DIR/out"
chmod 755 "$LAB_DIR/in" "$LAB_DIR/out"
COMMON+=("client-connect $LAB_DIR/in" "client-disconnect $LAB_DIR/out")
second; two_remotes
leak_watch; leak_control lan
leak_watch
adit_run
expect_within 20 "the first is away: the second serves" serves 203.0.114.10
flood_begin lan 192.0.2.80
expect_within 20 "the first is tried, in vain" adit_log 'does not take over'
first
expect_within 60 "the first is back, and serves" serves 203.0.113.10
flood_end
expect "the log says that the login is good for one" adit_log 'good for one session at a time'
expect "and that the old session ended for it" adit_log '203.0.113.10:1194 answers: the session that serves ends for it'
expect "it cost at most 60 of $SENT pings ($LOST), 3 s" test "$LOST" -le 60
expect_within 10 "one device is left" one_device
leak_none "break before make"
expect "stops in time" adit_stop
