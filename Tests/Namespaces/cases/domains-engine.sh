# Policies by domain without a resolver on the router: the engine reads the answers that pass inside the tunnel, and holds them until their
# addresses stand, so that the first packet to a name goes its policy's way already.
lab_up; lab_pki
. Tests/Namespaces/house.sh
. Tests/Namespaces/domains.sh
domains_far
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"' 'push "dhcp-option DNS 10.8.0.1"'
domains_resolver server 10.8.0.1
lab_resolv lan 10.8.0.1
profile home "remote 203.0.113.10 1194 udp"
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
config_section policy tv "list dest 'example.lab'" "option via 'wan'"
config_section policy book "list dest '!left.example.lab'" "list dest 'example.lab'" "list proto 'udp'" "option via 'block'"
house_nat ip
before=$(network_state)
adit_run
expect_within 15 "connected" adit_connected
expect_within 5 "the policy's sets stand" lab_in gw nft list set inet adit names4_tv

syns_begin
expect "a name of the domain" fetch example.lab
expect "a name below it" fetch www.example.lab
expect "one that is another's alias" fetch alias.example.lab
expect "a name in capitals" fetch DEEP.www.Example.LAB
expect "another name" fetch other.lab
expect "one that only ends alike" fetch badexample.lab
syns_end
expect "every packet to the domain went by the WAN, from the first SYN on" all_from 198.51.100.2 192.0.2.80 192.0.2.81 192.0.2.83 192.0.2.84
expect "every packet to another name through the tunnel" all_from 203.0.113.10 192.0.2.82 192.0.2.85

expect "an address lives as long as its name, and a margin" set_has names4_tv '192\.0\.2\.80 timeout 12m'
expect "no longer than a day" set_has names4_tv '192\.0\.2\.84 timeout 1d10m'
expect "IPv6 addresses are known too" set_has names6_tv '2001:db8:80::80 timeout 12m'
refuse "another name's address is in no set" set_has names4_tv '192\.0\.2\.82'
expect "both policies of a domain have it" set_has names4_book '192\.0\.2\.80'
lab_in lan getent ahostsv4 left.example.lab > /dev/null
expect "what a policy leaves out has a set of its own" set_has notnames4_book '192\.0\.2\.86'
expect "the house's own addresses never get in" sh -c "ip netns exec $LAB_LAN getent ahostsv4 house.example.lab && ! ip netns exec $LAB_GW nft list set inet adit names4_tv | grep -q 192.168.77"
expect "and the log says so" adit_log 'cannot be right'

config_section policy more "list dest 'more.lab'" "option via 'wan'"
kill -HUP "$ADIT_PID"
expect_within 5 "a reload brings the new policy" lab_in gw nft list set inet adit names4_more
expect "and keeps what is known" set_has names4_tv '192\.0\.2\.81'
syns_begin
expect "the new domain" fetch more.lab
syns_end
expect "goes its way" all_from 198.51.100.2 192.0.2.87

lab_in gw nft delete table inet adit
expect_within 5 "a table that somebody took away is filled again" set_has names4_tv '192\.0\.2\.80'
expect "with the time that is left" set_has names4_tv '192\.0\.2\.84 timeout (1d9m|23h|1d10m)'
expect_within 5 "for every policy" set_has names4_more '192\.0\.2\.87'

old=$(engine_pid)
kill -9 "$old"
expect_within 20 "another engine" fresh_engine "$old"
expect_within 15 "connected again" adit_connected
expect "stops in time" adit_stop
expect "all is as it was before" test "$before" = "$(network_state)"
rm -rf "/etc/netns/$LAB_LAN"
