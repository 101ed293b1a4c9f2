# the first remote is unreachable: the second takes over, and the first is returned to. The provider's two addresses lead to
# one machine here, so that the house keeps its inner address, without which no transfer could live on.
. Tests/Namespaces/outages.sh
outage_house
ip -n "$LAB_SERVER" address add 203.0.113.11/24 dev eth0
outage_server multihome
outage_config "203.0.113.10 1194 udp" "203.0.113.11 1194 udp"
config_tunnel home "option return_after '5s'"
outage_begin
remote_is() { adit_status "\"remote\":\{[^}]*\"address\":\"$1\"" && adit_connected; }
expect "by the first remote" remote_is 203.0.113.10
first_unreachable() { lab_in isp nft 'table inet block { chain forward { type filter hook forward priority 0; ip daddr 203.0.113.10 udp dport 1194 drop; ip saddr 203.0.113.10 udp sport 1194 drop; }; }'; stamp; }
first_reachable() { lab_in isp nft delete table inet block; stamp; }
first_unreachable
outage 8000 "the first remote is unreachable: the second"
expect "by the second remote" remote_is 203.0.113.11
first_reachable
expect_within 60 "the first is returned to" remote_is 203.0.113.10
wait_for 3 first_answer "$EPOCHREALTIME"
gap=$(longest_gap "$STAMP")
echo "  measured: the return to the first remote: $gap ms"
expect "the return cost $gap ms of at most 1000" test "$gap" -le 1000
outage_end
