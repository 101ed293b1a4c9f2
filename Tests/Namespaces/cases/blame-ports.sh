# C-2: the wrong port, the wrong key, a network without UDP; and the end of `adit connect` says the same words, with its exit code.
. Tests/Namespaces/blame.sh
lab_up; lab_pki
resolvers_are 192.0.2.53
ip -n "$LAB_FAR" address add 192.0.2.53/24 dev eth0
lab_server home "port 1194" "proto udp" "tls-crypt $LAB_DIR/pki/ta.key"
lab_server stream "port 1194" "proto tcp-server" "server 10.9.0.0 255.255.255.0" "tls-crypt $LAB_DIR/pki/ta.key"
keyed() { profile_is "$@"; lab_inline tls-crypt "$LAB_DIR/pki/${KEY:-ta}.key" >> "$LAB_DIR/config/home.ovpn"; }

# connect_says FAULT CODE: the end of `adit connect` too.
connect_says() {
  adit_start connect "$LAB_DIR/config/home.ovpn" --lan lan0
  says "$1" 25
  kill -INT "$ADIT_PID"; wait "$ADIT_PID"
  expect "$1: connect ends with $2" test $? -eq "$2"
  expect "$1: and says the same at its end" sh -c "tail -1 '$LAB_DIR/adit.log' | grep -qF -- 'not connected: $SAID'"
}
keyed "remote 203.0.113.10 1195 tcp"
connect_says tcp-refused 69

# Something else listens there.
lab_in server perl -MIO::Socket::INET -e '
  my $server = IO::Socket::INET->new(LocalPort => 2222, Listen => 5, ReuseAddr => 1) or die;
  while (my $client = $server->accept) { $client->autoflush(1); print $client "SSH-2.0-Lab\r\n"; push @open, $client }' &
LAB_PIDS+=($!)
wait_for 5 sh -c "ip netns exec $LAB_SERVER ss -tln | grep -q ':2222 '"
keyed "remote 203.0.113.10 2222 tcp"
connect_says not-openvpn 69

KEY=other-ta keyed "remote 203.0.113.10 1194 udp"
connect_says wrong-key 69

# A network that drops UDP: the second remote, by TCP, is taken.
cut_off isp forward "meta l4proto udp drop"
keyed "remote 203.0.113.10 1194 udp" "remote 203.0.113.10 1194 tcp"
adit_start connect "$LAB_DIR/config/home.ovpn" --lan lan0
expect_within 25 "a network without UDP: connected by TCP" adit_status '"status":"connected".*"proto":"tcp"'
expect "the log says of UDP why" adit_log 'The server does not answer.*udp 203.0.113.10:1194'
kill -INT "$ADIT_PID"; wait "$ADIT_PID"
expect "connect that was connected ends with 0" test $? -eq 0
