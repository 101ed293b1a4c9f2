# G-03: whatever is broken in the configuration, at a reload, at a start or at boot, nothing that was closed opens.
lab_up; lab_pki
mkdir -p "$LAB_DIR/config"
lab_profile "$LAB_DIR/home.ovpn" "remote 203.0.113.10 1194 udp" "connect-timeout 3"
good() {
  rm -rf "$LAB_DIR/config"; mkdir -p "$LAB_DIR/config"
  cp "$LAB_DIR/home.ovpn" "$LAB_DIR/config/home.ovpn"; chmod 600 "$LAB_DIR/config/home.ovpn"
  home_config "option kill_switch '${1:-always}'"
}
house_nat inet
for ns in gw lan; do lab_in $ns sysctl -qw net.ipv4.icmp_ratelimit=0; done
closed() { refuse "$1: the LAN is closed" ping_lan 192.0.2.80; expect "$1: the LAN reaches the router" ping_lan 192.168.77.1; }
# What a tired owner may do to the files; the files are good before each.
mistake() {
  local file=$LAB_DIR/config/gateway
  case $1 in
    "mistyped kill switch") sed -i "s/'always'/'allways'/" "$file" ;;
    "kill switch On") sed -i "s/'always'/'On'/" "$file" ;;
    "unknown tunnel") sed -i "s/list tunnel 'home'/list tunnel 'hoem'/" "$file" ;;
    "mistyped section") sed -i 's/config gateway/config gatewya/' "$file" ;;
    "no gateway section") sed -i '/config gateway/,$d' "$file" ;;
    "open quote") printf "config gateway 'x\n" >> "$file" ;;
    "noise") head -c 200 /dev/urandom > "$file" ;;
    "empty file") : > "$file" ;;
    "no profile") rm "$LAB_DIR/config/home.ovpn" ;;
    "broken profile") echo 'cipher NONSENSE' >> "$LAB_DIR/config/home.ovpn" ;;
    "no directory") rm -rf "$LAB_DIR/config" ;;
  esac
}
mistakes=("mistyped kill switch" "kill switch On" "unknown tunnel" "mistyped section" "open quote" "noise" "empty file" "no profile" "broken profile" "no directory")

lab_capture isp gw0 "$LAB_DIR/wan.pcap" "host 192.0.2.80 or net 192.168.77.0/24"
# At boot: a mistyped value is armed, and so is what can be read beside it.
for mistake in "mistyped kill switch" "kill switch On" "unknown tunnel" "mistyped section" "no profile" "broken profile"; do
  good; mistake "$mistake"
  expect "arm, $mistake" adit arm --config "$LAB_DIR/config"
  closed "armed, $mistake"
  expect "disarm, $mistake" adit disarm --config "$LAB_DIR/config"
done
good; expect "arm" adit arm --config "$LAB_DIR/config"
for mistake in "${mistakes[@]}"; do
  good; mistake "$mistake"
  adit arm --config "$LAB_DIR/config" > /dev/null 2>&1
  closed "armed before, $mistake"
done

# At a start over what is armed, and at a reload.
good
adit_start run --config "$LAB_DIR/config"
expect_within 5 "run" adit_status '"status":"connecting"'
for mistake in "${mistakes[@]}"; do
  good; mistake "$mistake"
  lines=$(grep -c 'reading the configuration again' "$LAB_DIR/adit.log")
  kill -HUP "$ADIT_PID"
  expect_within 5 "read again, $mistake" eval "[ \$(grep -c 'reading the configuration again' $LAB_DIR/adit.log) -gt $lines ] && adit_status '\"gateways\"'"
  closed "reloaded, $mistake"
done
expect "stops in time" adit_stop
closed stopped
for mistake in "${mistakes[@]}"; do
  good; mistake "$mistake"
  adit_start run --config "$LAB_DIR/config"
  settled() { adit_status '"gateways":\[\{' || ! kill -0 "$ADIT_PID" 2> /dev/null; }
  expect_within 5 "started or refused, $mistake" settled
  closed "started, $mistake"
  adit_stop
  closed "stopped, $mistake"
done
lab_capture_end "$LAB_DIR/wan.pcap"
expect "no clear packet was seen on the WAN" sh -c "[ \$(tcpdump -r $LAB_DIR/wan.pcap 2>/dev/null | grep -vc 203.0.113.10) -eq 0 ]"
