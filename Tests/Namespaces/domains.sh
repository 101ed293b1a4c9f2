# A far host of many names, a resolver that knows them, and how their packets are seen to come. Sourced by domains-*.sh.

# The far host answers at 192.0.2.80 to .89, port 80.
domains_far() {
  local last
  for last in 81 82 83 84 85 86 87; do ip -n "$LAB_FAR" address add "192.0.2.$last/24" dev eth0; done
  lab_in far python3 -m http.server 80 --directory /var/empty > "$LAB_DIR/far.log" 2>&1 & LAB_PIDS+=($!)
  wait_for 5 lab_in far sh -c "ss -ltn | grep -q ':80 '"
}

# domains_resolver NS ADDRESS: names of lab with a life of two minutes; one of a week.
domains_resolver() {
  ip netns exec "$LAB-$1" dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file --user=root \
    --listen-address "$2" --bind-interfaces --local-ttl 120 --local=/lab/ \
    --host-record=example.lab,192.0.2.80,2001:db8:80::80 --host-record=www.example.lab,192.0.2.81 \
    --host-record=other.lab,192.0.2.82 --host-record=target.other.lab,192.0.2.83 --cname=alias.example.lab,target.other.lab \
    --host-record=deep.www.example.lab,192.0.2.84,604800 --host-record=badexample.lab,192.0.2.85 \
    --host-record=left.example.lab,192.0.2.86 --host-record=more.lab,192.0.2.87 --host-record=house.example.lab,192.168.77.10 \
    > "$LAB_DIR/resolver.log" 2>&1 & LAB_PIDS+=($!)
}

# lab_resolv NS ADDRESS: whom that namespace asks.
lab_resolv() {
  mkdir -p "/etc/netns/$LAB-$1"
  printf 'nameserver %s\noptions attempts:3 timeout:2\n' "$2" > "/etc/netns/$LAB-$1/resolv.conf"
}

# fetch NAME: from the LAN host, by name, over IPv4. getent asks for both families, as a browser does.
fetch() { lab_in lan getent ahosts "$1" > /dev/null && lab_in lan curl -4 -s -o /dev/null --max-time 5 "http://$1/"; }

# syns_begin, syns_end, all_from SOURCE DESTINATION...: which way the packets took is told by whose address the far host sees.
syns_begin() { lab_capture far eth0 "$LAB_DIR/syns.pcap" "tcp[tcpflags] & tcp-syn != 0 and tcp[tcpflags] & tcp-ack == 0"; }
syns_end() { lab_capture_end "$LAB_DIR/syns.pcap"; tcpdump -n -r "$LAB_DIR/syns.pcap" 2> /dev/null > "$LAB_DIR/syns.txt"; }
all_from() {
  local source=$1 destination seen; shift
  for destination in "$@"; do
    seen=$(sed -nE "s/.*IP ([0-9.]+)\.[0-9]+ > ${destination//./\\.}\.80: .*/\1/p" "$LAB_DIR/syns.txt" | sort -u)
    [ "$seen" = "$source" ] || { echo "    $destination was seen from '$seen'"; return 1; }
  done
}
set_has() { lab_in gw nft list set inet adit "$1" | grep -qE "$2"; }
