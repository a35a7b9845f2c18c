#!/bin/sh
# Installs, upgrades, removes and purges Debian packages of nines in a Debian root, and looks at what that leaves.
# usage: try-deb.sh ROOT OLD.deb NEW.deb     ROOT: made by `debootstrap --variant=minbase bookworm ROOT`, without nines
set -eu
root=$1 old=$2 new=$3

port=${PORT:-18731} # the root shares the network of this machine

in_root() {
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive PORT="$port" "$@"
}
mode() { in_root stat -c '%a %U:%G' "$1"; }
is() { # is WHAT EXPECTED ACTUAL
  if [ "$2" = "$3" ]; then echo "ok    $1: $3"; else echo "WRONG $1: $3 in place of $2" >&2; exit 1; fi
}
exists() { if in_root test -e "$1"; then echo yes; else echo no; fi; }
# Without systemd in a chroot, the line of the unit is run by hand, as its user.
start() {
  (exec chroot "$root" /usr/bin/setpriv --reuid=nines --regid=nines --clear-groups --no-new-privs \
    /usr/bin/env -i PATH=/usr/bin:/bin PORT="$port" /usr/bin/nines serve --config /etc/nines/nines.env) > "$root/tmp/log" 2>&1 &
  server=$!
  for _ in $(seq 1 120); do
    if in_root /usr/bin/nines healthcheck --config /etc/nines/nines.env > /dev/null 2>&1; then return; fi
    sleep 1
  done
  cat "$root/tmp/log" >&2
  exit 1
}
stop() {
  kill -TERM "$server"
  wait "$server"
  server=
  echo 'ok    stopped with exit code 0'
}

mount -t proc proc "$root/proc" # Bun needs it
server=
trap 'if [ -n "$server" ]; then kill "$server" 2> /dev/null || true; fi; umount "$root/proc"' EXIT
cp "$old" "$root/tmp/old.deb"
cp "$new" "$root/tmp/new.deb"
in_root dpkg -i /tmp/old.deb
is 'data folder' '700 nines:nines' "$(mode /var/lib/nines)"
is settings '640 root:nines' "$(mode /etc/nines/nines.env)"
is executable '755 root:root' "$(mode /usr/bin/nines)"
is shell /usr/sbin/nologin "$(in_root getent passwd nines | cut -d: -f7)"
start
is 'database' '600 nines:nines' "$(mode /var/lib/nines/nines.db)"
stop
echo 'LOG_LEVEL=debug' >> "$root/etc/nines/nines.env"
before=$(in_root sha256sum /var/lib/nines/jwt.secret)
in_root dpkg -i --force-confdef /tmp/new.deb
is 'secret after the upgrade' "$before" "$(in_root sha256sum /var/lib/nines/jwt.secret)"
is 'settings after the upgrade' LOG_LEVEL=debug "$(tail -n 1 "$root/etc/nines/nines.env")"
start
stop
in_root dpkg --remove nines
is 'data after the removal' yes "$(exists /var/lib/nines/nines.db)"
is 'settings after the removal' yes "$(exists /etc/nines/nines.env)"
is 'executable after the removal' no "$(exists /usr/bin/nines)"
in_root dpkg --purge nines
is 'data after the purge' no "$(exists /var/lib/nines)"
is 'settings after the purge' no "$(exists /etc/nines)"
is 'user after the purge' '' "$(in_root getent passwd nines || true)"
is 'package after the purge' '' "$(in_root dpkg-query -W -f '${Status}' nines 2> /dev/null || true)"
