#!/usr/bin/env bash
# Installs the real components the tests run against, from Debian packages; quick when they are there. Leaves no service
# running. Fails when one is missing afterwards. Newer versions are unpacked beside them, not installed.
set -euo pipefail
newer=$(cd "$(dirname "$0")" && pwd)/newer-components.sh

declare -A package_of=([chromium]=chromium [chromium-headless-shell]=chromium-headless-shell [prometheus]=prometheus [promtool]=prometheus [victoria-metrics]=victoria-metrics [ping]=iputils-ping [python3]=python3 [faketime]=faketime [nginx]=nginx-light [caddy]=caddy [strace]=strace [rpmbuild]=rpm [prometheus-node-exporter]=prometheus-node-exporter [prometheus-blackbox-exporter]=prometheus-blackbox-exporter)

missing() {
  for program in "${!package_of[@]}"; do
    command -v "$program" >/dev/null || echo "${package_of[$program]}"
  done | sort -u
}

[ -n "$(missing)" ] || exec "$newer"
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "missing: $(missing | xargs); install them (as root on Debian: apt-get install -y $(missing | xargs))" >&2
  exit 1
fi

# Debian starts a service as soon as it is installed, unless this file says 101.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
{
  apt-get update -q
  # shellcheck disable=SC2046
  apt-get install -y -q --no-install-recommends $(missing)
} >&2
[ -z "$(missing)" ] || { echo "still missing after the installation: $(missing | xargs)" >&2; exit 1; }
"$newer"
