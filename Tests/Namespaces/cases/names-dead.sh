# B-1, B-2, B-12, R-04, R-18, R-21: no DNS at boot, remembered addresses, a server that moved, other resolvers, hosts(5).
lab_up; lab_pki; lab_second_server
. Tests/Namespaces/house.sh
. Tests/Namespaces/names.sh
ETC=/etc/netns/$LAB_GW
mkdir -p "$ETC"
printf 'nameserver 198.51.100.1\n' > "$ETC/resolv.conf"
dns_dead() { lab_in isp nft 'table inet dead { chain in { type filter hook input priority 0; udp dport 53 drop; }; }'; }
dns_alive() { lab_in isp nft delete table inet dead; }
names_say() { # ADDRESS: what the ISP's resolver answers from now on
  [ -z "${RESOLVER:-}" ] || { kill "$RESOLVER"; wait "$RESOLVER" 2> /dev/null; }
  resolver isp isp-names --host-record="vpn.lab,$1"
  RESOLVER=$!
  wait_for 3 eval "ip netns exec $LAB_ISP ss -uln | grep -q ':53 '"
}
at() { adit_status "\"status\":\"connected\".*\"host\":\"vpn.lab\",\"address\":\"$1\""; }
refused_lan() { lab_in lan ping -c 1 -W 1 192.0.2.80 2>&1 | grep -qiE 'prohibited|unreachable|filtered'; }

lab_server home "port 1194" "proto udp" "keepalive 1 4" 'push "redirect-gateway def1"'
profile home "remote vpn.lab 1194 udp" "connect-timeout 3"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'"
names_say 203.0.113.10
dns_dead
adit_run
expect_within 20 "no DNS at boot: status says so" adit_status '"last_error":\{[^}]*vpn.lab: no name server answers'
expect "and so does the log" adit_log 'home: .*vpn.lab: no name server answers'
expect "the house stays closed" refused_lan
dns_alive
expect_within 12 "DNS comes alive: connected" at 203.0.113.10
expect "the address is remembered" grep -qE '^home vpn.lab [0-9]+ 203.0.113.10$' "$LAB_DIR/state/addresses"
expect "stops in time" adit_stop

dns_dead
adit_run
expect_within 12 "no DNS at the next start: connected by the remembered address" at 203.0.113.10
expect "the log says by what" adit_log 'home: DNS does not answer; trying the addresses remembered from [0-9]+:[0-9]+'
expect "stops in time" adit_stop

# The server has moved, and nobody has told us yet.
lab_server_stop home -KILL
LAB_AT=server2 lab_server moved "port 1194" "proto udp" "keepalive 1 4" 'push "redirect-gateway def1"'
names_say 203.0.114.10
adit_run
expect_within 12 "the remembered address is tried" adit_log 'connecting to 203.0.113.10'
dns_alive
expect_within 20 "its failure does not stop the questions: connected where the server is now" at 203.0.114.10
expect_within 2 "that is remembered from now on" grep -qE '^home vpn.lab [0-9]+ 203.0.114.10$' "$LAB_DIR/state/addresses"

# It moves back while we are connected.
lab_server home "port 1194" "proto udp" "keepalive 1 4" 'push "redirect-gateway def1"'
names_say 203.0.113.10
lab_server_stop moved -KILL
expect_within 30 "a server that moves is found again (R-04)" at 203.0.113.10
expect "stops in time" adit_stop

# The lease names another resolver: no pause is waited out.
rm "$LAB_DIR/state/addresses"
printf 'nameserver 192.0.2.99\n' > "$ETC/resolv.conf"
adit_run
expect_within 20 "a resolver that is not there" adit_log 'home: .*internet outside does not answer.*asked 192.0.2.99'
printf 'nameserver 198.51.100.1\n' > "$ETC/resolv.conf"
expect_within 8 "another one: connected at once" at 203.0.113.10
expect "stops in time" adit_stop

rm "$LAB_DIR/state/addresses"
dns_dead
printf '203.0.113.10 vpn.lab\n' > "$ETC/hosts"
adit_run
expect_within 10 "hosts(5) answers before DNS" at 203.0.113.10
expect "the log says so" adit_log 'vpn.lab has the address 203.0.113.10 in /etc/hosts'
expect "stops in time" adit_stop
rm -rf "$ETC"
