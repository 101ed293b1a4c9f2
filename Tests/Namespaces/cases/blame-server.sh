# C-2: a server that is gone, cut off, sends us away or says something else; each is told apart, and the tunnel is back with the server.
. Tests/Namespaces/blame.sh
lab_up; lab_pki
resolvers_are 192.0.2.53
ip -n "$LAB_FAR" address add 192.0.2.53/24 dev eth0
home_server() { lab_server home "port 1194" "proto udp" "management 127.0.0.1 7505" "$@"; }
# tell_server COMMAND: by its management interface.
tell_server() {
  lab_in server bash -c 'exec 3<> /dev/tcp/127.0.0.1/7505; printf "%s\n" "$0" >&3
    while IFS= read -t 5 -r line <&3; do echo "$line"; case $line in END* | SUCCESS* | ERROR*) break ;; esac; done' "$1" > "$LAB_DIR/management"
}
client_id() { tell_server "status 3"; sed -nE 's/^CLIENT_LIST\t([^\t]*\t){9}([0-9]+)\t.*/\2/p' "$LAB_DIR/management" | head -1; }
profile_is "remote 203.0.113.10 1194 udp"

run_home
says server-dead
home_server
connects 30

# It says that it restarts; the log keeps it, the tunnel is back at once.
tell_server "client-kill $(client_id)"
expect_within 10 "server-restart: the log says it" adit_log "home: $(fault_row server-restart | head -1)"
connects
tell_server "client-kill $(client_id) HALT"
says server-halt
adit reconnect home
connects

# Dead while connected, without a word.
lab_server_stop home -KILL
says server-dead 70
home_server
connects 30

cut_off server input "udp dport 1194 drop"
adit reconnect home
says server-dropped 25
join server
connects 30

ip -n "$LAB_ISP" route replace unreachable 203.0.113.10
adit reconnect home
says server-host-gone
ip -n "$LAB_ISP" route del unreachable 203.0.113.10
connects 30
expect "stops in time" adit_stop
lab_server_stop home
