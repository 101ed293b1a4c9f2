# Policies by domain with a real dnsmasq on the router: it puts the addresses into the policies' sets itself, before it answers.
. Tests/Namespaces/names.sh
. Tests/Namespaces/house.sh
. Tests/Namespaces/domains.sh
lab_up; lab_pki; names_up
domains_far; house_nat ip
house_dnsmasq
lab_resolv lan 192.168.77.1
profile home "remote 203.0.113.10 1194 udp"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
config_section policy tv "list dest 'example.lab'" "option via 'wan'"
config_section policy book "list dest 'www.example.lab'" "list proto 'udp'" "option via 'block'"
before=$(resolver_files)
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"' 'push "dhcp-option DNS 10.8.0.1"'
domains_resolver server 10.8.0.1
adit_run
expect_within 15 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.82
asked() { [ "$(lab_in lan getent ahostsv4 "$1" | head -1 | cut -d' ' -f1)" = "$2" ]; }
expect_within 15 "the tunnel's resolver answers through dnsmasq" asked other.lab 192.0.2.82
snippet=$ETC/dnsmasq.d/adit.conf
expect "dnsmasq was told of the domain" grep -q '^nftset=/example.lab/4#inet#adit#names4_tv,6#inet#adit#names6_tv$' "$snippet"
expect "B-54: a name of two policies has one line, with the sets of both" grep -q '^nftset=/www.example.lab/4#inet#adit#names4_book,6#inet#adit#names6_book,4#inet#adit#names4_tv,6#inet#adit#names6_tv$' "$snippet"
expect "one restart for all of it" test "$(restarts)" = 1

syns_begin
expect "a name of the domain" fetch example.lab
expect "a name below it" fetch deep.www.example.lab
expect "one that is another's alias" fetch alias.example.lab
expect "another name" fetch other.lab
syns_end
expect "every packet to the domain went by the WAN, from the first SYN on" all_from 198.51.100.2 192.0.2.80 192.0.2.83 192.0.2.84
expect "every packet to another name through the tunnel" all_from 203.0.113.10 192.0.2.82
expect "dnsmasq filled the sets, not the engine" set_has names4_tv '192\.0\.2\.80([, ]|$)'
refuse "whose elements would end" set_has names4_tv 'timeout [0-9]'
expect "IPv6 too" set_has names6_tv '2001:db8:80::80'
expect "B-54: both policies have the name" set_has names4_book '192\.0\.2\.84'

lab_in gw nft delete table inet adit
expect_within 5 "the table is back" lab_in gw nft list set inet adit names4_tv
filled_again() { lab_in lan getent ahosts example.lab > /dev/null; set_has names4_tv '192\.0\.2\.80'; }
expect_within 5 "B-55: dnsmasq forgot what it knew, so that the next question fills it" filled_again
expect "without a restart" test "$(restarts)" = 1

config_section policy more "list dest 'more.lab'" "option via 'wan'"
kill -HUP "$ADIT_PID"
told() { grep -q '^nftset=/more.lab/' "$snippet" && [ "$(restarts)" = 2 ]; }
expect_within 10 "a new domain costs a restart" told
expect_within 10 "which answers" asked more.lab 192.0.2.87
expect "and has its set" set_has names4_more '192\.0\.2\.87'
expect "what was known stays" set_has names4_tv '192\.0\.2\.80'
expect "stops in time" adit_stop
expect "the files are as before" test "$before" = "$(resolver_files)"
names_down
rm -rf "/etc/netns/$LAB_LAN"
