# A server that answers from another address than the one it is asked at: with `float` the session comes about and lives there.
lab_up; lab_pki
. Tests/Namespaces/house.sh
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
profile home "remote 203.0.113.10 1194 udp" float
config_tunnel home
config_gateway lan "list tunnel 'home'" "list lan 'lan0'" "option kill_switch 'session'"
# Without tracking, so that each packet is rewritten for itself; what comes to the old address once something has left from the new one is lost.
ip -n "$LAB_SERVER" address add 203.0.113.11/24 dev eth0
lab_in server nft -f - <<'NFT'
table ip elsewhere {
  set moved { type ipv4_addr; flags timeout; }
  counter asked_there { }
  chain out {
    type filter hook postrouting priority raw;
    ip saddr 203.0.113.10 udp sport 1194 update @moved { ip daddr timeout 1h } ip saddr set 203.0.113.11
  }
  chain in {
    type filter hook prerouting priority raw;
    ip daddr 203.0.113.10 udp dport 1194 ip saddr @moved drop
    ip daddr 203.0.113.11 udp dport 1194 counter name asked_there ip daddr set 203.0.113.10
  }
}
NFT
adit_run
expect_within 10 "connected" adit_connected
expect_within 3 "the LAN gets through" ping_lan 192.0.2.80
expect "our packets go to the new address" sh -c "ip netns exec $LAB_SERVER nft list counter ip elsewhere asked_there | grep -qE 'packets [1-9]'"
expect "the log says so" grep -q "the server answers from 203.0.113.11:1194: packets go there" "$LAB_DIR/adit.log"
expect "stops in time" adit_stop
