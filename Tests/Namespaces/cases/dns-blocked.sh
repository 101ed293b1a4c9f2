# `block_dot` and `block_doh`: port 853 of the LAN, and port 443 to the listed resolvers, are refused at once; everything else to the same
# addresses goes through the tunnel, and without the keys so do these.
. Tests/Namespaces/house.sh
lab_up; lab_pki
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
home_profile
ip -n "$LAB_FAR" address add 192.0.2.81/24 dev eth0
for port in 443 853 8443; do listen far $port; done
udp_refused() { lab_in lan timeout 2 perl -MIO::Socket::INET -e '
  my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => $ARGV[0], PeerPort => $ARGV[1]) or exit 1;
  $s->send("x"); $SIG{ALRM} = sub { exit 1 }; alarm 1; my $got; exit(defined $s->recv($got, 1) ? 1 : 0);' "$1" "$2"; }

home_config "option kill_switch 'session'" "option dns 'off'"
adit_start run --config "$LAB_DIR/config"
expect_within 10 "connected" adit_connected
expect_within 5 "without the keys DNS over TLS goes through the tunnel" reaches lan 192.0.2.80 853
expect "so does port 443" reaches lan 192.0.2.80 443

printf '# resolvers of others\n192.0.2.80\n2001:db8:80::/64\n' > "$LAB_DIR/config/resolvers.txt"
home_config "option kill_switch 'session'" "option dns 'off'" "option block_dot '1'" "list block_doh 'file:resolvers.txt'"
kill -HUP "$ADIT_PID"
expect_within 5 "DNS over TLS is refused at once" refused lan 192.0.2.80 853
expect "to any address" refused lan 192.0.2.81 853
expect "over UDP too" udp_refused 192.0.2.81 853
expect "DNS over HTTPS to a listed resolver is refused at once" refused lan 192.0.2.80 443
expect "over UDP too, where QUIC speaks" udp_refused 192.0.2.80 443
expect "another port of it is reached" reaches lan 192.0.2.80 8443
expect "port 443 of an address that is not listed is reached" reaches lan 192.0.2.81 443
adit explain 192.168.77.10 192.0.2.80 --port 443 --proto tcp --config "$LAB_DIR/config" > "$LAB_DIR/explain.log" 2>&1
expect "explain points at the key" grep -q "config/gateway:10:" "$LAB_DIR/explain.log"
expect "stops in time" adit_stop
