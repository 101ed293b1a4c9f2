# C-3: two addresses of one server, which ends an older session of the same certificate and gives the newer one its address: the
# better address is returned to, and a TCP transfer of the LAN host lives on, for its own address inside is the same.
. Tests/Namespaces/outages.sh
outage_house
ip -n "$LAB_SERVER" address add 203.0.113.11/24 dev eth0
outage_server multihome
outage_config "203.0.113.10 1194 udp" "203.0.113.11 1194 udp"
config_tunnel home "option return_after '4s'"
remote_is() { adit_status "\"status\":\"connected\".*\"remote\":\{[^}]*\"address\":\"$1\""; }
lab_in isp nft 'table inet block { chain forward { type filter hook forward priority 0; ip daddr 203.0.113.10 udp dport 1194 drop; }; }'
outage_begin
expect "the first address is out of reach: the second serves" remote_is 203.0.113.11
lab_in isp nft delete table inet block; stamp
expect_within 60 "the first is returned to" remote_is 203.0.113.10
expect_within 10 "one device is left" sh -c "[ \$(ip -n $LAB_GW -o link show type tun | grep -c tun-home) -eq 1 ]"
wait_for 5 first_answer "$EPOCHREALTIME"
gap=$(longest_gap "$STAMP")
echo "  measured: the return to the first address: $gap ms"
expect "the return cost $gap ms of at most 1000" test "$gap" -le 1000
expect_within 20 "and the transfer goes on" transfer_past "$(transferred)"
outage_end
