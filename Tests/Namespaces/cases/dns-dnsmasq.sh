# DNS with a real dnsmasq on the router (G-06, G-07, G-09, G-24): the tunnel's resolvers alone are asked, whomever the LAN asks; refused at
# once while down, names of the house answered all the while; everything as before after a stop and after kill -9.
. Tests/Namespaces/names.sh
lab_up; lab_pki; names_up
house_dnsmasq
home_profile "connect-timeout 2" "connect-retry 1 1"
home_config "option kill_switch 'session'"
server() {
  lab_server names "port 1194" "proto udp" "explicit-exit-notify 1" 'push "redirect-gateway def1"' \
    'push "dns server 1 address 10.8.0.1"' 'push "dns server 2 address 10.8.0.1:5353"' 'push "dns server 2 resolve-domains corp.example"'
}
before=$(resolver_files)
as_before() { [ "$before" = "$(resolver_files)" ]; }
expect_within 5 "without adit the ISP answers" answers $AT_ISP lan before.example 192.168.77.1
expect "and the router when it asks by itself" answers $AT_ISP gw before.example 192.0.2.53

adit_start run --config "$LAB_DIR/config"
# Without `adit arm` the start closes, and a session's nft table takes a moment.
expect_within 5 "closed" lab_in gw nft list chain inet adit dns_router
lab_capture isp gw0 "$LAB_DIR/wan.pcap" "port 53 or port 853"
expect_within 5 "not connected yet: the router's resolver refuses at once" refused_at_once lan a.example 192.168.77.1
expect "so does whoever is asked directly" refused_at_once lan a.example 192.0.2.53
expect "over TCP too" refused_at_once lan a.example 192.0.2.53 tcp
expect "over IPv6 too" refused_at_once lan a.example 2001:db8:80::53
expect "names of the house are answered" answers 192.168.77.20 lan nas.lan 192.168.77.1
expect "whomever one asks" answers 192.168.77.20 lan nas.lan 192.0.2.53
refuse "the router itself gets no answer from the ISP" answers $AT_ISP gw a.example 198.51.100.1
expect "the files are untouched" as_before

server; names_in_tunnel
expect_within 15 "connected" adit_connected
expect "status names the resolvers" adit_status '"dns":\["10\.8\.0\.1","10\.8\.0\.1:5353"\]'
expect_within 10 "the tunnel's resolver answers through the router's" answers $AT_TUNNEL lan b.example 192.168.77.1
expect "and whoever is asked directly" answers $AT_TUNNEL lan c.example 192.0.2.53
expect "over TCP" answers $AT_TUNNEL lan d.example 192.0.2.53 tcp
expect "over IPv6" answers $AT_TUNNEL lan e.example 2001:db8:80::53
expect "G-09: and the tunnel's own, asked directly" answers $AT_TUNNEL lan f.example 10.8.0.1
expect "a split domain has its own resolver" answers $AT_CORP lan host.corp.example 192.168.77.1
expect "names of the house are answered by the house" answers 192.168.77.20 lan nas.lan 192.0.2.53
expect "the router's own names" answers $AT_TUNNEL gw g.example 127.0.0.1
expect "also when it asks the ISP by itself" answers $AT_TUNNEL gw h.example 198.51.100.1
expect "and over TCP" answers $AT_TUNNEL gw i.example 198.51.100.1 tcp
expect "one restart, no more" test "$(restarts)" = 1
expect "dnsmasq can read its servers as the user it runs as" sh -c "setpriv --reuid dnsmasq --clear-groups cat $LAB_DIR/state/dnsmasq/servers"
adit plan --diff --config "$LAB_DIR/config" > "$LAB_DIR/plan.txt" 2>&1
expect "plan shows what dnsmasq was told" grep -q '^- names /etc/dnsmasq.d/adit.conf: no-resolv' "$LAB_DIR/plan.txt"

lab_server_stop names
expect_within 15 "the server gone: the router's resolver refuses at once" refused_at_once lan j.example 192.168.77.1
expect "whoever is asked directly too" refused_at_once lan k.example 192.0.2.53
expect "names of the house are answered" answers 192.168.77.20 lan nas.lan 192.168.77.1
server
expect_within 20 "the server back: connected again" answers $AT_TUNNEL lan l.example 192.168.77.1
expect "without another restart" test "$(restarts)" = 1
lab_in gw /etc/init.d/dnsmasq restart
expect_within 10 "a restart by its owner changes nothing" answers $AT_TUNNEL lan m.example 192.168.77.1
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no query was seen on the WAN all the while" test "$(clear_queries "$LAB_DIR/wan.pcap")" = 0

expect "stops in time" adit_stop
expect_within 10 "G-07: the ISP answers again" answers $AT_ISP lan n.example 192.168.77.1
expect "the files are as before" as_before
expect "one restart for that" test "$(restarts)" = 3

adit_start run --config "$LAB_DIR/config"
expect_within 15 "once more" answers $AT_TUNNEL lan o.example 192.168.77.1
kill -9 "$ADIT_PID"
expect_within 3 "killed" sh -c "! kill -0 $ADIT_PID 2>/dev/null"
refuse "the ISP is not asked" answers $AT_ISP lan p.example 192.168.77.1
expect "cleanup" adit cleanup
expect_within 10 "G-07: after cleanup the ISP answers" answers $AT_ISP lan q.example 192.168.77.1
expect "the files are as before" as_before

adit_start run --config "$LAB_DIR/config"
expect_within 15 "and again" answers $AT_TUNNEL lan r.example 192.168.77.1
kill -9 "$ADIT_PID"
expect_within 3 "killed again" sh -c "! kill -0 $ADIT_PID 2>/dev/null"
printf "\toption dns 'off'\n" >> "$LAB_DIR/config/gateway"
adit_start run --config "$LAB_DIR/config"
expect_within 15 "G-07: the next start, which wants none of it, takes it back" as_before
expect_within 10 "and dnsmasq asks the ISP" answers $AT_ISP lan s.example 192.168.77.1
expect "stops in time once more" adit_stop
names_down
