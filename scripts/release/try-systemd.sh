#!/bin/sh
# Boots a Debian root with systemd, without a network, and looks at nines there: under its unit, through reload, kill, upgrade and removal.
# usage: try-systemd.sh ROOT OLD.deb NEW.deb     Root only; takes systemd-nspawn (Debian: systemd-container), curl and openssl.
# ROOT, without nines:
#   debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,libstdc++6,iputils-ping,procps bookworm ROOT
set -eu
root=$1 old=$2 new=$3
settings=$root/etc/nines/nines.env
drop_in=$root/etc/systemd/system/nines.service.d/try.conf

is() { # is WHAT EXPECTED ACTUAL
  if [ "$2" = "$3" ]; then echo "ok    $1: $3"; else echo "WRONG $1: $3 in place of $2" >&2; exit 1; fi
}
in_root() {
  nsenter --target "$init" --all env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@" < /dev/null
}
in_network() { nsenter --target "$init" --net "$@"; }
show() { in_root systemctl show nines --value --property "$1"; }
wait_for() { # wait_for WHAT COMMAND...
  what=$1
  shift
  for _ in $(seq 1 90); do
    if "$@" > /dev/null 2>&1; then return; fi
    sleep 1
  done
  echo "WRONG no $what" >&2
  in_root journalctl -u nines --no-pager -n 20 >&2 || true
  exit 1
}
ready() { wait_for 'ready nines' in_root nines healthcheck --config /etc/nines/nines.env; }
restart() {
  in_root systemctl daemon-reload
  in_root systemctl restart nines
  ready
}
restarts_are() { [ "$(show NRestarts)" -ge "$1" ]; }
in_log() { in_root journalctl -u nines --no-pager -o cat | grep -q "$1"; }

ln -sf /dev/null "$root/etc/systemd/system/systemd-networkd-wait-online.service" # there is no network to wait for
boot="systemd-nspawn -D $root --boot --register=no --private-network --console=pipe --settings=no"
if [ ! -d /run/systemd/system ]; then # a machine without systemd: its control groups may be of another kind
  boot="unshare --mount --propagation private sh -c 'mount -t cgroup2 none /sys/fs/cgroup; exec $boot --keep-unit'"
fi
eval "exec $boot" < /dev/null > "$root/var/log/nspawn.log" 2>&1 &
nspawn=$!
trap 'kill -TERM "$nspawn" 2> /dev/null && wait "$nspawn" || true' EXIT
init=
booted() { init=$(pgrep -P "$nspawn" | head -n 1) && [ -n "$init" ] && in_root systemctl list-units; }
wait_for 'systemd in the root' booted
in_network sh -c 'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range' # systemd sets it where it may

cp "$old" "$root/root/old.deb"
cp "$new" "$root/root/new.deb"
in_root dpkg -i /root/old.deb
ready
is 'after the installation' 'active enabled' "$(show ActiveState) $(in_root systemctl is-enabled nines)"
status=$(in_root cat "/proc/$(show MainPID)/status")
is 'capabilities' 0000000000000000 "$(echo "$status" | sed -n 's/^CapBnd:\t//p')"
is 'user' "$(in_root id -u nines)" "$(echo "$status" | sed -n 's/^Uid:\t[0-9]*\t\([0-9]*\).*/\1/p')"
json='Content-Type: application/json'
account='{"name":"ada","email":"ada@example.com","password":"correct horse"}'
api=http://127.0.0.1:8080/api/v1
token=$(in_network curl -sS $api/auth/register -H "$json" -d "$account" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
probe='{"name":"self","type":"icmp","target":"127.0.0.1"}'
is 'probe by ping' '"ok":true' "$(in_network curl -sS $api/embedded/probes/test -H "$json" -H "Authorization: Bearer $token" -d "$probe" | grep -o '"ok":true')"

echo LOG_LEVEL=debug >> "$settings"
in_root systemctl reload nines
wait_for 'reload of the settings' in_log '"changed":\["LOG_LEVEL"\]'
in_root systemctl kill -s KILL nines
wait_for 'restart after SIGKILL' restarts_are 1
ready
echo 'ok    runs again after SIGKILL'

sed -i 's/^PORT=.*/PORT=443/' "$settings"
in_root systemctl restart nines
wait_for 'sixth restart' restarts_are 6
echo 'ok    is started again and again while it may not listen'

mkdir -p "$root/srv/backups" "$(dirname "$drop_in")"
in_root chown nines:nines /srv/backups
head -c 48 /dev/urandom | base64 > "$root/root/jwt"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj /CN=nines.example.com \
  -keyout "$root/root/key.pem" -out "$root/root/cert.pem" 2> /dev/null
chmod 600 "$root/root/jwt" "$root/root/key.pem"
cat > "$drop_in" << 'END'
[Service]
ReadWritePaths=/srv/backups
LoadCredential=jwt:/root/jwt
LoadCredential=cert:/root/cert.pem
LoadCredential=key:/root/key.pem
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
END
credentials=/run/credentials/nines.service
cat >> "$settings" << END
HTTP_REDIRECT_PORT=80
TLS_CERT=$credentials/cert
TLS_KEY=$credentials/key
JWT_SECRET_FILE=$credentials/jwt
BACKUP_SCHEDULE=* * * * *
BACKUP_DIR=/srv/backups
END
restart
is 'HTTPS at port 443' 200 "$(in_network curl -sk -o /dev/null -w '%{http_code}' https://127.0.0.1/ready)"
is 'redirect at port 80' 308 "$(in_network curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1/ready)"
wait_for 'backup in /srv/backups' in_log '"backup written"'
is 'doctor' '' "$(in_root runuser -u nines -- nines doctor --config /etc/nines/nines.env | grep ^error)"

before="$(show MainPID) $(in_root sha256sum /var/lib/nines/seal.secret)"
in_root dpkg -i /root/new.deb
ready
after="$(show MainPID) $(in_root sha256sum /var/lib/nines/seal.secret)"
is 'data after the upgrade' "${before#* }" "${after#* }"
is 'another process after the upgrade' yes "$([ "${before%% *}" != "${after%% *}" ] && echo yes)"
in_root systemctl stop nines
is 'stop' 'success 0' "$(show Result) $(show ExecMainStatus)"
in_root dpkg --remove nines
is 'after the removal' inactive "$(show ActiveState)"
in_root dpkg -i /root/new.deb
ready
is 'after another installation' 'active enabled' "$(show ActiveState) $(in_root systemctl is-enabled nines)"
in_root dpkg --purge nines
is 'after the purge' 'inactive no' "$(show ActiveState) $(if [ -e "$root/var/lib/nines" ]; then echo yes; else echo no; fi)"
rm -r "$(dirname "$drop_in")"
