# Everything at once: two tunnels, scope all, policies, both families, dnsmasq. What a stop (`session`) and a `kill -9` with `adit cleanup`
# leave is what was there before: links, rules, routes of every table, nft tables, every sysctl of the network, resolver files.
. Tests/Namespaces/names.sh
lab_up; lab_pki; names_up
house_dnsmasq
mkdir -p "$LAB_DIR/config"
for name in home backup; do
  lab_profile "$LAB_DIR/config/$name.ovpn" "remote 203.0.113.10 $([ $name = home ] && echo 1194 || echo 1195) udp"
  chmod 600 "$LAB_DIR/config/$name.ovpn"
done
printf '198.18.7.0/24\n198.18.9.9\n2001:db8:7::/48\n' > "$LAB_DIR/config/exceptions.txt"
cat > "$LAB_DIR/config/gateway" <<'UCI'
config tunnel 'home'
	option profile 'home.ovpn'

config tunnel 'backup'
	option profile 'backup.ovpn'

config gateway 'lan'
	list tunnel 'home'
	list tunnel 'backup'
	list lan 'lan0'
	option scope 'all'
	option kill_switch 'session'
	list exclude '198.18.0.0/16'

config policy 'exceptions'
	list dest 'file:exceptions.txt'
	option via 'wan'

config policy 'shop'
	list dest 'shop.example'
	option via 'backup'

config policy 'printer'
	list src '192.168.77.40'
	option via 'block'
UCI
lab_server one "port 1194" "proto udp" "server-ipv6 fd00:8::/64" 'push "redirect-gateway def1 ipv6"' 'push "dhcp-option DNS 10.8.0.1"' \
  'push "route 10.20.0.0 255.255.0.0"' 'push "dhcp-option DOMAIN corp.example"'
lab_server two "port 1195" "proto udp" "server 10.9.0.0 255.255.255.0" 'push "redirect-gateway def1"' 'push "dhcp-option DNS 10.9.0.1"'

state() {
  network_state
  lab_in gw nft list tables
  # What counts, and what the kernel makes up anew at every look.
  lab_in gw sysctl -a 2>/dev/null | grep '^net\.' | grep -vE 'nf_conntrack_count|fastopen_key|\.tun-(home|backup)\.|random|netdev_rss_key'
  resolver_files
}
expect_same() { # WORDS
  state > "$LAB_DIR/after"
  expect "$1" diff "$LAB_DIR/before" "$LAB_DIR/after"
}
both_connected() { [ "$(adit status --json 2>/dev/null | grep -o '"status":"connected"' | wc -l)" -eq 2 ]; }
state > "$LAB_DIR/before"

adit_start run --config "$LAB_DIR/config"
expect_within 15 "both connect" both_connected
expect_within 5 "dnsmasq is told" test -e "$ETC/dnsmasq.d/adit.conf"
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect_within 5 "over IPv6 too" ping_lan 2001:db8:80::80
expect_within 5 "the router too" lab_in gw ping -c 1 -W 2 -q 192.0.2.80
refuse "it has changed something" sh -c "ip -n $LAB_GW rule show | cmp -s - $LAB_DIR/before"
expect "stops in time" adit_stop
expect_same "after a stop all is as it was before"
refuse "nothing waits to be undone" test -s "$LAB_DIR/state/undo"

adit_start run --config "$LAB_DIR/config"
expect_within 15 "both connect again" both_connected
# It restarts after the stop, and is looked for every ten seconds.
expect_within 15 "dnsmasq is told again" test -e "$ETC/dnsmasq.d/adit.conf"
kill -9 "$ADIT_PID"
expect_within 5 "the engines end too" sh -c "! ip netns pids $LAB_GW | xargs -r ps -o args= -p | grep -q ' engine '"
expect "cleanup succeeds" adit cleanup
expect_same "after kill -9 and cleanup all is as it was before"
refuse "nothing waits to be undone then" test -s "$LAB_DIR/state/undo"
names_down
