# A way from the laboratory's ISP to this machine's own network, for a real provider's profile. Source after lab.sh.

lab_outside_up() {
  ip link add "labup0" type veth peer name outside0 netns "$LAB_ISP" || return 1
  ip address add 198.18.77.1/30 dev labup0 && ip link set labup0 up
  ip -n "$LAB_ISP" address add 198.18.77.2/30 dev outside0
  ip -n "$LAB_ISP" link set outside0 up
  ip -n "$LAB_ISP" route add default via 198.18.77.1
  sysctl -n net.ipv4.ip_forward > "$LAB_DIR/ip_forward"
  sysctl -qw net.ipv4.ip_forward=1
  ip netns exec "$LAB_ISP" nft -f - <<'NFT'
table inet lab {
  chain out {
    type nat hook postrouting priority srcnat;
    oifname "outside0" masquerade
  }
}
NFT
  nft -f - <<'NFT'
table inet adit-lab {
  chain out {
    type nat hook postrouting priority srcnat;
    ip saddr 198.18.77.0/30 masquerade
  }
}
NFT
  mkdir -p "/etc/netns/$LAB_GW"
  # A loopback resolver of this machine cannot be reached from a namespace.
  grep -E '^nameserver ' /run/systemd/resolve/resolv.conf /etc/resolv.conf 2>/dev/null | sed 's/^[^:]*://' | grep -vE '127\.|::1' | sort -u > "/etc/netns/$LAB_GW/resolv.conf"
}

lab_outside_down() {
  ip link del labup0 2>/dev/null
  nft delete table inet adit-lab 2>/dev/null
  [ -r "$LAB_DIR/ip_forward" ] && sysctl -qw net.ipv4.ip_forward="$(cat "$LAB_DIR/ip_forward")"
  rm -rf "/etc/netns/$LAB_GW"
  return 0
}
