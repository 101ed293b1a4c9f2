# O-28: servers with `fragment`: packets of every size both ways, none larger outside than was asked, and a transfer that is compared.
lab_up; lab_pki
. Tests/Namespaces/house.sh
config_gateway lan "list tunnel 'pieces'" "list lan 'lan0'" "option kill_switch 'session'"
lab_in far perl Tests/Namespaces/transfer.pl serve 5300 > "$LAB_DIR/serve.log" 2>&1 & LAB_PIDS+=($!)
wait_for 5 grep -q listening "$LAB_DIR/serve.log"
# Sends 4 MB to the far host, which sends them back, and compares.
there_and_back() { lab_in lan timeout 60 perl -MIO::Socket::INET -e '
  srand 7; my $block = pack("C*", map { int rand 256 } 1 .. 4093); my $data = $block x 1024;
  my $peer = IO::Socket::INET->new(PeerAddr => "192.0.2.80", PeerPort => 5300, Timeout => 10) or exit 1;
  if (!fork) { my $at = 0; while ($at < length $data) { $at += syswrite($peer, $data, 65536, $at) // exit 1 } exit 0 }
  my $back = ""; while (length $back < length $data) { sysread($peer, $back, 65536, length $back) or exit 1 }
  exit($back eq $data ? 0 : 1)'; }
sizes_pass() { local size; for size in 16 500 516 517 544 600 1060 1061 1400 1472; do lab_in lan ping -c 2 -i 0.02 -W 2 -q -s $size "$1" > /dev/null || return 1; done; }
large_pass() { lab_in "$1" ping -c 20 -i 0.02 -W 2 -q -s 1400 "$2" | grep -q ' 0% packet loss'; }
segment_is() { lab_in gw nft list chain inet adit clamp_mss | grep -F '"tun' | grep -q "ipv4.* size set $1\$"; }

# fragmented WORDS OFFLOAD BYTES MSS COMMON-OPTION... [-- SERVER-OPTION...]: BYTES of the largest packet with data, headers and all.
# Where datagrams leave in runs a capture sees the runs: only then sizes are not looked at.
fragmented() {
  local words=$1 offload=$2 most=$3 mss=$4 common=() server=(); shift 4
  while [ $# -gt 0 ] && [ "$1" != -- ]; do common+=("$1"); shift; done
  [ $# -eq 0 ] || { shift; server=("$@"); }
  lab_server pieces "port 1194" "proto udp" 'push "redirect-gateway def1"' "${common[@]}" "${server[@]}"
  profile pieces "remote 203.0.113.10 1194 udp" "${common[@]}"
  config_tunnel pieces "option offload '$offload'"
  adit_run
  expect_within 10 "$words: connected" adit_connected
  expect_within 5 "$words: the LAN gets through" ping_lan 192.0.2.80
  # The opcodes of data: DATA_V2 and DATA_V1.
  lab_capture isp server0 "$LAB_DIR/large.pcap" "udp port 1194 and (udp[8] & 0xf8 = 0x48 or udp[8] & 0xf8 = 0x30) and (ip[2:2] > $most or ip[6:2] & 0x3fff != 0)"
  expect "$words: every size passes" sizes_pass 192.0.2.80
  expect "$words: large ones of the LAN" large_pass lan 192.0.2.80
  expect "$words: large ones of the server" large_pass server 10.8.0.2
  expect "$words: TCP makes what fits in one" segment_is "$mss"
  expect "$words: what is sent comes back the same" there_and_back
  lab_capture_end "$LAB_DIR/large.pcap"
  [ "$offload" = auto ] || expect "$words: no packet was larger than $most, or in pieces of the network's" test -z "$(tcpdump -n -r "$LAB_DIR/large.pcap" 2> /dev/null)"
  refuse "$words: neither end complains of a header" adit_status 'data_bad_fragment'
  refuse "$words: nor of the options" grep -qE "mtu-dynamic|FRAG_IN error" "$LAB_DIR/server-pieces.log"
  expect "$words: stops in time" adit_stop
  lab_server_stop pieces
}
fragmented "AES-GCM" off 628 532 "fragment 600" "mssfix"
fragmented "with headers counted" mmsg 600 504 "fragment 600 mtu" "mssfix"
fragmented "AES-CBC" auto 628 495 "fragment 600" "mssfix" "data-ciphers AES-256-CBC" "auth SHA256"
fragmented "with framing" auto 628 531 "fragment 600" "mssfix" "comp-lzo no" -- "allow-compression yes"
