# How long a house of two uplinks is cut off after each event of the cases outage-*, ours and openvpn's; minutes, for openvpn often does
# not come back within the 90 s that each is given.
outages() {
  local client file
  for client in adit openvpn; do
    for file in Tests/Namespaces/cases/outage-*.sh; do
      LAB=adit-out-$$ CLIENT=$client PATIENCE=90 ADIT=$PWD/dist/adit ROOT=$PWD bash -c \
        '. scripts/lab/lab.sh; . Tests/Namespaces/expect.sh; trap lab_down EXIT; . "$0"' "$file" 2>&1 | sed -nE "s/^  measured: /outages: $client: /p"
    done
  done
}
