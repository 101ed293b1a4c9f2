# DNS where nothing on the router can be told: no resolver at all, and one that is left as it is (G-06). No query leaves in clear.
. Tests/Namespaces/names.sh
lab_up; lab_pki; names_up
server() { lab_server names "port 1194" "proto udp" "explicit-exit-notify 1" 'push "redirect-gateway def1"' "$@"; }
lab_profile "$LAB_DIR/home.ovpn" "remote 203.0.113.10 1194 udp" "connect-timeout 2" "connect-retry 1 1"
start() { adit_start connect "$LAB_DIR/home.ovpn" --lan lan0 "$@"; }

server 'push "dhcp-option DNS 10.8.0.1"'; names_in_tunnel
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "port 53 or port 853"
start
expect_within 10 "connected, no resolver on the router" adit_connected
expect_within 5 "whoever is asked, the tunnel's resolver answers" answers $AT_TUNNEL lan a.example 192.0.2.53
expect "over TCP" answers $AT_TUNNEL lan b.example 192.0.2.53 tcp
expect "the router's address too" answers $AT_TUNNEL lan c.example 192.168.77.1
expect "G-09: and the resolver itself" answers $AT_TUNNEL lan d.example 10.8.0.1
expect "over IPv6, which the tunnel does not carry, it is refused at once" refused_at_once lan e.example 2001:db8:80::53
expect "the router's own queries are led there" answers $AT_TUNNEL gw f.example 198.51.100.1
expect "the log says that names of the LAN are unknown there" adit_log "knows no names of the LAN"
lab_server_stop names
expect_within 10 "down: refused at once" refused_at_once lan g.example 192.0.2.53
expect "at the router's address too" refused_at_once lan g.example 192.168.77.1
expect "and for the router" refused_at_once gw g.example 198.51.100.1
expect "stops in time" adit_stop
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no query was seen on the WAN all the while" test "$(clear_queries "$LAB_DIR/wan.pcap")" = 0
expect "afterwards as before" answers $AT_ISP gw h.example 192.0.2.53

# A resolver that cannot be told: no directory of further configuration, and a server of its own.
ip netns exec "$LAB_GW" dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file --user=root \
  --server=198.51.100.1 --host-record=nas.lan,192.168.77.20 --local=/lan/ > "$LAB_DIR/other.log" 2>&1 & LAB_PIDS+=($!)
expect_within 5 "a resolver of the router's own" answers $AT_ISP lan i.example 192.168.77.1
server 'push "dhcp-option DNS 10.8.0.1"'
lab_capture isp gw0 "$LAB_DIR/other.pcap" "port 53 or port 853"
start
expect_within 10 "connected" adit_connected
expect_within 5 "what it asks the ISP is asked of the tunnel's resolver" answers $AT_TUNNEL lan j.example 192.168.77.1
expect "the LAN is led to it, whomever it asks" answers $AT_TUNNEL lan k.example 192.0.2.53
expect "over IPv6 too" answers $AT_TUNNEL lan l.example 2001:db8:80::53
expect "names of the house are answered" answers 192.168.77.20 lan nas.lan 192.0.2.53
expect "the log says why it is not told" adit_log "dnsmasq reads no directory"
lab_server_stop names
expect_within 10 "down: refused at once" refused_at_once lan m.example 192.168.77.1
expect "names of the house are answered" answers 192.168.77.20 lan nas.lan 192.168.77.1
expect "stops in time" adit_stop

# No resolver pushed: whom one asks, through the tunnel. The ISP's resolver is beyond the server too.
server
start
expect_within 10 "connected without a resolver" adit_connected
expect_within 5 "the router's resolver asks the ISP's, through the tunnel" answers $AT_ISP lan n.example 192.168.77.1
expect "the log says so" adit_log "gave no resolver; names are asked of whoever is asked now, through the tunnel"
expect "stops in time" adit_stop
lab_capture_end "$LAB_DIR/other.pcap"
expect "no query was seen on the WAN all the while" test "$(clear_queries "$LAB_DIR/other.pcap")" = 0
rm -rf "$ETC"
