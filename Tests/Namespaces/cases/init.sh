# What is installed for init systems: the SysV script at work, procd's through a double of its functions, systemd's unit.
sysv=$ROOT/etc/init.d/adit.sysv procd=$ROOT/etc/init.d/adit.procd unit=$ROOT/etc/systemd/adit.service
shell=$(command -v dash || command -v sh)
expect "the SysV script is plain sh" "$shell" -n "$sysv"
expect "the procd script is plain sh" "$shell" -n "$procd"
expect "both may be run" test -x "$sysv" -a -x "$procd"

# systemd. Where its own tool is missing, at least what we rest on stands there.
if command -v systemd-analyze > /dev/null; then
  sed "s#/usr/sbin/adit#$ADIT#" "$unit" > "/tmp/adit-$LAB.service"
  complaints=$(systemd-analyze verify --man=no "/tmp/adit-$LAB.service" 2>&1); verdict=$?
  rm -f "/tmp/adit-$LAB.service"
  expect "systemd-analyze verify says nothing about the unit ($complaints)" test "$verdict" -eq 0 -a -z "$complaints"
else
  for key in Type=notify 'ExecStart=/usr/sbin/adit run ' 'ExecReload=/bin/kill -HUP \$MAINPID' WantedBy=multi-user.target; do
    expect "the unit has $key (by grep: no systemd-analyze here)" grep -q "^$key" "$unit"
  done
fi
for key in Type=notify WatchdogSec=30 TimeoutStartSec=infinity WatchdogSignal=SIGKILL KillMode=mixed RuntimeDirectoryPreserve=yes TimeoutStopSec=6 Restart=on-failure 'DeviceAllow=/dev/net/tun rw'; do
  expect "the unit has $key" grep -qx "$key" "$unit"
done

# procd: what the script asks for, with procd's functions replaced by ones that say their arguments.
procd_says() { # FUNCTION RUNNING
  "$shell" -c '
    for name in open_instance set_param close_instance send_signal add_reload_trigger; do
      eval "procd_$name() { echo $name \"\$@\"; }"
    done
    procd_running() { '"$2"'; }
    start() { echo started; }
    . "$0"; '"$1" "$procd"
}
expect "procd starts it, keeps it and logs for it" test "$(procd_says start_service true)" = "open_instance
set_param command /usr/sbin/adit run --config /etc/config/adit
set_param respawn 3600 5 0
set_param stderr 1
set_param term_timeout 6
close_instance"
expect "a reload is SIGHUP" test "$(procd_says reload_service true)" = "send_signal adit * HUP"
expect "and a start when it does not run" test "$(procd_says reload_service false)" = "started"
expect "a change of the configuration reloads" test "$(procd_says service_triggers true)" = "add_reload_trigger adit"
expect "it is run by procd, late" sh -c "grep -qx USE_PROCD=1 $procd && grep -qx START=95 $procd"

# The kill switch before the network: a unit and two scripts that only run `adit arm`.
arm_unit=$ROOT/etc/systemd/adit-arm.service arm_script=$ROOT/etc/init.d/adit-arm.procd arm_sysv=$ROOT/etc/init.d/adit-arm.sysv
expect "the arm scripts are plain sh" sh -c "$shell -n $arm_script && $shell -n $arm_sysv"
expect "they may be run" test -x "$arm_script" -a -x "$arm_sysv"
expect "procd's runs before firewall and network" grep -qx START=18 "$arm_script"
expect "SysV's runs in the first runlevel, before the network" sh -c "grep -q '^# Default-Start: *S$' $arm_sysv && grep -qE '^# X-Start-Before: .*networking' $arm_sysv"
for key in Type=oneshot RemainAfterExit=yes DefaultDependencies=no 'SuccessExitStatus=69 78' Wants=network-pre.target 'Before=network-pre.target adit.service shutdown.target'; do
  expect "the arm unit has $key" grep -qx "$key" "$arm_unit"
done
if command -v systemd-analyze > /dev/null; then
  sed "s#/usr/sbin/adit#$ADIT#" "$arm_unit" > "/tmp/adit-arm-$LAB.service"
  complaints=$(systemd-analyze verify --man=no "/tmp/adit-arm-$LAB.service" 2>&1 | grep -v 'adit.service'); rm -f "/tmp/adit-arm-$LAB.service"
  expect "systemd-analyze verify says nothing about the arm unit ($complaints)" test -z "$complaints"
fi

# OpenWrt's firewall zone, by a double of uci that keeps `firewall` in a file and knows what the script uses.
uci_double() { # FILE: runs the script once
  "$shell" -c '
    state=$1
    uci() {
      shift # -q
      case $1 in
        show) cat "$state" ;;
        get) grep -q "^$2=" "$state" ;;
        batch) while read -r verb rest; do
            [ "$verb" = set ] || [ "$verb" = add_list ] || continue
            key=${rest%%=*} value=${rest#*=}
            grep -q "^$key=" "$state" || echo "$key=$value" >> "$state"
          done ;;
        commit) echo "$2" >> "$state.commits" ;;
      esac
    }
    . "$0"' "$ROOT/etc/uci-defaults/60-adit" "$1"
}
zone=/tmp/adit-uci-$LAB
printf '%s\n' "firewall.@zone[0]=zone" "firewall.@zone[0].name='lan'" > "$zone"
cp "$zone" "$zone.before"
expect "uci-defaults ends well" uci_double "$zone"
expect "it adds one zone and one way to it, and changes nothing else" test "$(diff "$zone.before" "$zone" | sed -n 's/^[<>] //p')" = "firewall.adit=zone
firewall.adit.name='adit'
firewall.adit.device='tun-+'
firewall.adit.input='REJECT'
firewall.adit.output='ACCEPT'
firewall.adit.forward='REJECT'
firewall.adit.masq='0'
firewall.adit.mtu_fix='0'
firewall.adit_lan=forwarding
firewall.adit_lan.src='lan'
firewall.adit_lan.dest='adit'"
cp "$zone" "$zone.before"
expect "run again" uci_double "$zone"
expect "it changes nothing" cmp "$zone.before" "$zone"
printf '%s\n' "firewall.vpn=zone" "firewall.vpn.name='vpn'" "firewall.vpn.device='tun0' 'tun-+'" > "$zone"
cp "$zone" "$zone.before"
expect "beside a zone of the owner's for these devices" uci_double "$zone"
expect "it changes nothing either" cmp "$zone.before" "$zone"
printf '%s\n' "firewall.@zone[0]=zone" "firewall.@zone[0].name='home'" > "$zone"
expect "without a zone lan" uci_double "$zone"
refuse "no way is made" grep -q forwarding "$zone"
rm -f "$zone" "$zone.before" "$zone.commits"

lab_up; lab_pki
mkdir -p "$LAB_DIR/config"
lab_server home "port 1194" "proto udp" 'push "redirect-gateway def1"'
lab_profile "$LAB_DIR/config/home.ovpn" "remote 203.0.113.10 1194 udp"
home_config "option kill_switch 'session'"
network_state > "$LAB_DIR/before"

# SysV, with its settings from a file, as from /etc/default/adit.
pidfile=$LAB_DIR/adit.pid
printf '%s\n' "DAEMON=$ADIT" "CONFIG=$LAB_DIR/config" "STATE_DIR=$LAB_DIR/state" "PIDFILE=$pidfile" > "$LAB_DIR/default"
service() { ip netns exec "$LAB_GW" env DEFAULTS="$LAB_DIR/default" "$shell" "$sysv" "$@" >> "$LAB_DIR/adit.log" 2>&1; }
service_says() { local code=$1; shift; service "$@"; [ $? -eq "$code" ]; }
connected_once() { adit_status '"status":"connected".*"handshakes":1,"reconnects":0'; }
: > "$LAB_DIR/adit.log"
expect "status before the start is 3" service_says 3 status
expect "reload before the start is 7" service_says 7 reload
expect "stop before the start is 0" service_says 0 stop
expect "an unknown action is 2" service_says 2 dance
expect "start" service_says 0 start
pid=$(cat "$pidfile"); LAB_PIDS+=("$pid")
expect "status is 0" service_says 0 status
expect_within 10 "connected" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "a second start is no failure" service_says 0 start
expect "and starts nothing" test "$(cat "$pidfile")" = "$pid"
# Whether the reload was read shows in the tunnel that it adds.
cp "$LAB_DIR/config/home.ovpn" "$LAB_DIR/config/spare.ovpn"
printf "config tunnel 'spare'\n\toption profile 'spare.ovpn'\n\toption enabled '0'\n" > "$LAB_DIR/config/spare"
expect "reload" service_says 0 reload
expect_within 5 "the new tunnel is known" adit_status '"name":"spare"'
expect "the session is the same" connected_once
expect "the process is the same" kill -0 "$pid"
expect "restart" service_says 0 restart
refuse "another process runs" test "$(cat "$pidfile")" = "$pid"
pid=$(cat "$pidfile"); LAB_PIDS+=("$pid")
expect_within 10 "connected again" connected_once
began=$EPOCHREALTIME
expect "stop" service_says 0 stop
expect "within 6 s" test $(((${EPOCHREALTIME/./} - ${began/./}) / 1000)) -lt 6000
expect "status is 3" service_says 3 status
refuse "the daemon is gone" adit_status .
expect "try-restart is no failure" service_says 0 try-restart
expect "and starts nothing" service_says 3 status
network_state > "$LAB_DIR/after"
expect "the network is as it was" diff "$LAB_DIR/before" "$LAB_DIR/after"

# A start that fails says so; a killed daemon leaves a pidfile that status tells apart.
mkdir "$LAB_DIR/empty"
printf '%s\n' "CONFIG=$LAB_DIR/empty" >> "$LAB_DIR/default"
expect "without a tunnel the start fails" service_says 1 start
printf '%s\n' "CONFIG=$LAB_DIR/config" >> "$LAB_DIR/default"
expect "start again" service_says 0 start
pid=$(cat "$pidfile"); LAB_PIDS+=("$pid")
kill -KILL "$pid"
expect_within 5 "a daemon killed is status 1" service_says 1 status
refuse "and its LAN is closed" ping_lan 192.0.2.80
expect "the next start takes over" service_says 0 start
pid=$(cat "$pidfile"); LAB_PIDS+=("$pid")
expect_within 10 "connected" adit_connected
expect "stop" service_says 0 stop
network_state > "$LAB_DIR/after"
expect "the network is as it was after the crash too" diff "$LAB_DIR/before" "$LAB_DIR/after"

# The kill switch by SysV's script, and OpenWrt's hotplug on it.
arm_service() { ip netns exec "$LAB_GW" env DEFAULTS="$LAB_DIR/default" "$shell" "$arm_sysv" "$@" >> "$LAB_DIR/adit.log" 2>&1; }
arm_says() { local code=$1; shift; arm_service "$@"; [ $? -eq "$code" ]; }
hotplug() { ip netns exec "$LAB_GW" env PROG="$ADIT" CONFIG="$LAB_DIR/config" ACTION="$1" INTERFACE=lan "$shell" "$ROOT/etc/hotplug.d/iface/90-adit"; }
knows_nets() { ip -n "$LAB_GW" route show table all proto 173 | grep -q 192.168.77.0/24; }
expect "arm: status before is 3" arm_says 3 status
expect "arm: an unknown action is 2" arm_says 2 dance
home_config "option kill_switch 'session'"
expect "arm: with nothing to arm the start is no failure" arm_says 0 start
expect "and arms nothing" arm_says 3 status
expect "hotplug on an open router does nothing" hotplug ifup
expect "it is still open" arm_says 3 status
sed -i "s/'session'/'always'/" "$LAB_DIR/config/gateway"
ip -n "$LAB_GW" address flush dev lan0
expect "arm: start, before the LAN has an address" arm_says 0 start
expect "arm: status is 0" arm_says 0 status
refuse "it knows no net of the house" knows_nets
lab_address gw lan0 192.168.77.1/24 fd77::1/64
expect "hotplug: an interface goes down" hotplug ifdown
refuse "which changes nothing" knows_nets
expect "hotplug: an interface comes up" hotplug ifup
expect "now it knows the net" knows_nets
refuse "the LAN is closed" ping_lan 192.0.2.80
expect "arm: a stop opens nothing" arm_says 0 stop
expect "it is armed" arm_says 0 status
expect "disarm" adit disarm --config "$LAB_DIR/config"
# OpenWrt's arm script, with our program and a log that is a file.
sed "s#^PROG=.*#PROG='$ADIT'#; s#^CONFIG=.*#CONFIG='$LAB_DIR/config --state-dir $LAB_DIR/state'#; s#--config \"\$CONFIG\"#--config \$CONFIG#" "$arm_script" > "$LAB_DIR/arm.procd"
expect "procd's arm script runs" ip netns exec "$LAB_GW" "$shell" -c 'log=$1; logger() { cat >> "$log"; }; . "$0"; start' "$LAB_DIR/arm.procd" "$LAB_DIR/arm.log"
expect "it logs what is closed" grep -qx 'armed: lan (lan0)' "$LAB_DIR/arm.log"
expect "it is armed by it" arm_says 0 status
expect "and disarmed" adit disarm --config "$LAB_DIR/config"
expect "hotplug: after a disarm" hotplug ifup
expect "it stays open" arm_says 3 status
home_config "option kill_switch 'session'"
network_state > "$LAB_DIR/before"

# What the unit leaves is enough: no other capability, none to gain, and no file to write elsewhere (as ProtectSystem=strict).
rights=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | sed 's/CAP_/+/g; s/ /,/g' | tr '[:upper:]' '[:lower:]')
writable=$(sed -n 's/^ReadWritePaths=//p' "$unit")
expect "the unit makes the rest read-only" grep -qx ProtectSystem=strict "$unit"
: > "$LAB_DIR/adit.log"
chown 4242 "$LAB_DIR/config/home.ovpn"; chmod 600 "$LAB_DIR/config/home.ovpn"
# shellcheck disable=SC2016
ip netns exec "$LAB_GW" "$shell" -ec '
  for path in $1; do mount --bind "$path" "$path"; done
  mount -o remount,bind,ro /
  if touch "$0/read-only" 2> /dev/null; then echo "the file system can be written"; exit 1; fi
  rights=$2
  shift 2
  exec setpriv --bounding-set "-all,$rights" --inh-caps -all --no-new-privs "$@"
' "$LAB_DIR/config" "$writable $LAB_DIR/state" "$rights" \
  "$ADIT" run --config "$LAB_DIR/config" --state-dir "$LAB_DIR/state" >> "$LAB_DIR/adit.log" 2>&1 &
ADIT_PID=$!
LAB_PIDS+=("$ADIT_PID")
expect_within 10 "connected with the unit's rights, by a profile that only its owner may read ($rights)" adit_connected
expect_within 5 "the LAN gets through" ping_lan 192.0.2.80
expect "these are its rights" grep -qE '^NoNewPrivs:\s+1$' "/proc/$ADIT_PID/status"
# Only CAP_KILL ends an engine that hangs: it is another user.
engine=$(engine_pid)
kill -STOP "$engine"
expect_within 30 "an engine that hangs is ended" sh -c "! kill -0 $engine"
expect_within 15 "and replaced" adit_status '"status":"connected".*"reconnects":[1-9]'
expect "stops in time" adit_stop
network_state > "$LAB_DIR/after"
expect "the network is as it was" diff "$LAB_DIR/before" "$LAB_DIR/after"
