# Four hundred pushed routes, over several messages; a tunnel without a gateway follows the push exactly.
lab_up; lab_pki
pushes=()
for i in $(seq 0 399); do pushes+=("push \"route 10.$((100 + i / 200)).$((i % 200)).0 255.255.255.0\""); done
lab_server many "port 1194" "proto udp" "${pushes[@]}" 'push "route 192.0.2.80"'
lab_profile "$LAB_DIR/many.ovpn" "remote 203.0.113.10 1194 udp"
adit_start connect "$LAB_DIR/many.ovpn"
expect_within 10 "connected" adit_connected
expect "all pushed routes stand" sh -c "[ \$(ip -n $LAB_GW route show table all | grep -c '^10\.10[01]\.') -eq 400 ]"
expect "the router itself follows the push" sh -c "ip -n $LAB_GW route get 192.0.2.80 | grep -q tun-many"
expect "what was not pushed keeps the ordinary way" sh -c "ip -n $LAB_GW route get 192.0.2.81 | grep -q wan0"
expect "main holds nothing of ours" sh -c "[ \$(ip -n $LAB_GW route show table main | grep -c tun-) -eq 1 ]"
expect "stops in time" adit_stop
expect "no route is left" sh -c "[ \$(ip -n $LAB_GW route show table all | grep -c '^10\.10[01]\.') -eq 0 ]"
