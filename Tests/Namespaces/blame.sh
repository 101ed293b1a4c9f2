# What is said of a fault, held to the row of docs/FAULTS.md with that name: status as JSON and for people, doctor and the log. Sourced by the
# cases blame-*.sh.
fault_row() { awk -F' *[|] *' -v id="\`$1\`" '$2 == id { print $4; gsub("`", "", $5); print $5; gsub("`", "", $6); print $6 }' "$ROOT/docs/FAULTS.md"; }
# The sentence of last_error, as it stands in the status now.
said() { adit status --json 2> /dev/null | sed -nE 's/.*"last_error":\{"code":"[^"]*","text":"(([^"\\]|\\.)*)".*/\1/p' | sed 's/\\"/"/g'; }
told() { grep -qF -- "$1" <<< "$2"; }

# says FAULT [SECONDS]
says() {
  local id=$1 seconds=${2:-20} words code layer text
  { read -r words; read -r code; read -r layer; } < <(fault_row "$id")
  [ -n "$layer" ] || { not_ok "$id has no row in docs/FAULTS.md"; return; }
  expect_within "$seconds" "$id: status has $code of the layer $layer" adit_status "\"last_error\":\{\"code\":\"$code\".*\"layer\":\"$layer\",\"evidence\":\["
  text=$(said)
  expect "$id: it says: $text" test "${text#"$words"}" != "$text"
  expect "$id: the same words for people" told "$text" "$(adit status 2> /dev/null)"
  expect "$id: and by doctor" told "$text" "$(adit doctor --config "$LAB_DIR/config" 2> /dev/null)"
  expect_within 5 "$id: and in the log" grep -qF -- "home: $text" "$LAB_DIR/adit.log"
  SAID=$text
}
# connects [SECONDS]: with nothing left to blame.
connects() {
  expect_within "${1:-20}" "connected" adit_connected
  expect_within 5 "nothing is blamed any more" adit_status '"last_error":null,"layer":null,"evidence":\[\]'
}
# told_times WORDS: how often the log has them.
told_times() { grep -cF -- "$1" "$LAB_DIR/adit.log"; }
profile_is() { # LINE...: the profile of `home`, remotes and all.
  mkdir -p "$LAB_DIR/config"
  lab_profile "$LAB_DIR/config/home.ovpn" "$@"
  chmod 600 "$LAB_DIR/config/home.ovpn"
  home_config "option kill_switch 'session'"
}
run_home() { adit_start run --config "$LAB_DIR/config"; }
resolvers_are() { mkdir -p "/etc/netns/$LAB_GW"; printf 'nameserver %s\n' "$@" > "/etc/netns/$LAB_GW/resolv.conf"; }
# cut_off NS HOOK RULE: a firewall there; join NS ends it.
cut_off() { printf 'table inet cut {\n\tchain cut {\n\t\ttype filter hook %s priority -400;\n\t\t%s\n\t}\n}\n' "$2" "$3" | lab_in "$1" nft -f -; }
join() { lab_in "$1" nft delete table inet cut; }
