# `adit pause`, `resume`, `use`, `up`, `down` and `reconnect --after` at run time: what the owner asks for outlives the daemon.
lab_up; lab_pki; lab_second_server
. Tests/Namespaces/house.sh
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
LAB_AT=server2 lab_server second "port 1195" "proto udp" "server 10.9.0.0 255.255.255.0" 'push "redirect-gateway def1"'
profile home "remote 203.0.113.10 1194 udp" "remote 203.0.114.10 1195 udp" "connect-timeout 3"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'"
at() { adit_status "\"status\":\"connected\".*\"address\":\"$1\"" && ping_lan 192.0.2.80; }
resting() { adit_status "\"status\":\"disconnected\".*\"override\":\\{\"action\":\"$1\""; }
says() { local words=$1; shift; "$@" > "$LAB_DIR/said" 2>&1; grep -qE "$words" "$LAB_DIR/said"; }
fails_with() { local code=$1 words=$2; shift 2; "$@" > "$LAB_DIR/said" 2>&1; [ $? -eq "$code" ] && grep -qE "$words" "$LAB_DIR/said"; }
refused_lan() { lab_in lan ping -c 1 -W 1 192.0.2.80 2>&1 | grep -qiE 'prohibited|unreachable|filtered'; }

adit_run
expect_within 10 "connected to the first remote" at 203.0.113.10
expect "status lists the remotes" says '1 203.0.113.10:1194/udp, 2 203.0.114.10:1195/udp' adit status
expect "and asked for nothing" adit_status '"override":\{"action":null,"until":null,"remote":null\},"demand":null'

expect "a pause says what becomes of the LAN" says 'home is paused until [0-9:]+.*; gateway lan is closed meanwhile' adit pause home --for 10m
expect_within 5 "it is down" resting paused
expect "status says by whom and until when" says 'override +paused by you until [0-9:]+' adit status
expect "the LAN is refused" refused_lan
expect "reconnecting makes no sense now" fails_with 69 'home is down: it is paused by you; .adit up home. starts it' adit reconnect home
kill -9 "$ADIT_PID"; wait "$ADIT_PID" 2> /dev/null
adit_run
expect_within 5 "after a crash it is still paused" resting paused
refuse "nothing was tried" adit_log 'connecting to'
expect "resumed" adit resume home
expect_within 10 "connected again" at 203.0.113.10
expect "a short pause" says 'home is paused' adit pause home --for 2s
expect_within 5 "it is down" resting paused
expect_within 12 "and ends by itself" at 203.0.113.10
expect "the log says so" adit_log 'home: the pause is over'

expect "a remote that is not there: the error lists what is" fails_with 65 'home has no remote 203.0.113.99; it has 1 203.0.113.10:1194/udp, 2 203.0.114.10:1195/udp; or .default.' adit use home 203.0.113.99
expect "the second remote, by host" says 'home uses 203.0.114.10:1195/udp, until .adit use home default.' adit use home 203.0.114.10
expect_within 10 "connected there" at 203.0.114.10
expect "status says who chose it" says 'override +remote 203.0.114.10:1195/udp chosen by you' adit status
kill -9 "$ADIT_PID"; wait "$ADIT_PID" 2> /dev/null
adit_run
expect_within 10 "after a crash it is still the chosen one" at 203.0.114.10
refuse "the first was not tried" adit_log 'connecting to 203.0.113.10'
expect "by number" adit use home 1
expect_within 10 "connected to the first" at 203.0.113.10
expect "the profile's order again" adit use home default
expect "nothing is chosen" adit_status '"remote":null\},"demand"'

began=$SECONDS
expect "reconnect in three seconds" adit reconnect home --after 3
expect_within 10 "it was gone, and comes back" adit_status '"status":"reasserting"'
expect_within 12 "connected again" at 203.0.113.10
expect "not before its time" test $((SECONDS - began)) -ge 2

expect "down" says 'home is down; gateway lan is closed meanwhile' adit down home
expect_within 5 "it is down" resting down
expect "stops in time" adit_stop
adit_run
expect_within 5 "after a restart it is still down" resting down
expect "up" adit up home
expect_within 10 "connected" at 203.0.113.10
expect "put up by you" adit_status '"override":\{"action":"up"'
expect "resume: as the configuration says" adit resume home
expect "which is up" at 203.0.113.10
expect "nothing is left of it" sh -c "[ \$(wc -l < $LAB_DIR/state/overrides) -eq 1 ]"
expect "stops in time" adit_stop
