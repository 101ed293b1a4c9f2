# Resolvers of the laboratory: one at the ISP (198.51.100.1, and 192.0.2.53 of the far net), two inside the tunnel, and dnsmasq on
# the gateway, started by an init script as a distribution has it. Which of them answered shows in the address. Sourced by the cases.
AT_ISP=203.0.113.77 AT_TUNNEL=10.99.0.1 AT_CORP=10.99.0.2

# ask WHERE NAME SERVER [tcp]
ask() { local where=$1; shift; ip netns exec "$LAB-$where" perl Tests/Namespaces/ask.pl "$@"; }
# answers ADDRESS WHERE NAME SERVER [tcp]
answers() { local wanted=$1; shift; [ "$(ask "$@")" = "$wanted" ]; }
# refused_at_once WHERE NAME SERVER [tcp]: by a resolver's REFUSED, or by the network; within a second.
refused_at_once() {
  local began=$EPOCHREALTIME said; said=$(ask "$@")
  [ $(( (${EPOCHREALTIME/./} - ${began/./}) / 1000 )) -lt 1000 ] && [ "$said" = refused ] || [ "$said" = "rcode 5" ]
}

# resolver NS NAME ARGUMENT...: a dnsmasq of the laboratory that knows everything itself.
resolver() {
  local where=$1 name=$2; shift 2
  ip netns exec "$LAB-$where" dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file --user=root \
    --log-queries --log-facility="$LAB_DIR/$name.log" "$@" > /dev/null 2>&1 & LAB_PIDS+=($!)
}

names_up() {
  ip -n "$LAB_ISP" address add 192.0.2.53/32 dev lo
  ip -n "$LAB_ISP" address add 2001:db8:80::53/128 dev lo nodad
  resolver isp isp-names --address=/example/$AT_ISP
  ETC=/etc/netns/$LAB_GW
  mkdir -p "$ETC/dnsmasq.d" "$ETC/init.d"
  # What `ip netns exec` lays over /etc (ip-netns(8)) must find something there to lie on; dnsmasq-base brings neither.
  mkdir -p /etc/dnsmasq.d && touch -a /etc/dnsmasq.conf
  printf 'nameserver 198.51.100.1\n' > "$ETC/resolv.conf"
}

# After a server with that tun device is up.
names_in_tunnel() {
  resolver server tunnel-names --listen-address=10.8.0.1 --bind-interfaces --address=/example/$AT_TUNNEL
  resolver server corp-names --listen-address=10.8.0.1 --bind-interfaces --port=5353 --address=/corp.example/$AT_CORP
}

# house_dnsmasq LINE...: dnsmasq on the gateway, with these lines of configuration.
house_dnsmasq() {
  printf '%s\n' 'host-record=nas.lan,192.168.77.20' 'local=/lan/' "$@" > "$ETC/dnsmasq.conf"
  cat > "$ETC/init.d/dnsmasq" <<SH
#!/bin/sh
# As distributions have it: stop waits for the end, start goes to the background, and one run waits for the other. A dnsmasq that
# has ended is gone, even if nobody has collected it yet.
[ "\$2" = alone ] || exec flock -o $LAB_DIR/house-dnsmasq.lock "\$0" "\$1" alone
pid=$LAB_DIR/house-dnsmasq.pid
stop() { old=\$(cat \$pid 2>/dev/null) && kill \$old 2>/dev/null && while grep -q '^State:.[^Z]' /proc/\$old/status 2>/dev/null; do sleep 0.05; done; rm -f \$pid; }
start() { dnsmasq -x \$pid -u dnsmasq -7 /etc/dnsmasq.d,.dpkg-dist,.dpkg-old,.dpkg-new; }
case \$1 in
  start) start ;;
  stop) stop ;;
  restart) echo restart >> $LAB_DIR/restarts; stop; start ;;
esac
SH
  chmod 755 "$ETC/init.d/dnsmasq"
  : > "$LAB_DIR/restarts"
  lab_in gw /etc/init.d/dnsmasq start
}
restarts() { wc -l < "$LAB_DIR/restarts"; }
resolver_files() { (cd "$ETC" && for file in resolv.conf dnsmasq.conf dnsmasq.d/*; do echo "$file"; cat "$file" 2>/dev/null; done); }
names_down() { lab_in gw /etc/init.d/dnsmasq stop; rm -rf "$ETC"; }

# clear_queries CAPTURE: queries seen on the WAN side.
clear_queries() { tcpdump -n -r "$1" 2>/dev/null | grep -c .; }
