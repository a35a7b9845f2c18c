#!/bin/sh
# Loads an image of nines into Docker or Podman, runs it by docs/compose.yaml, and looks at it; removes container and volume, not the image.
# usage: try-image.sh IMAGE.tar docker 'docker compose'
#        try-image.sh IMAGE.tar podman podman-compose        Port 8080 must be free; takes curl.
set -eu
image=$1 engine=$2
compose="$3 -p nines-try -f $(cd "$(dirname "$0")/../../docs" && pwd)/compose.yaml"

is() { # is WHAT EXPECTED ACTUAL
  if [ "$2" = "$3" ]; then echo "ok    $1: $3"; else echo "WRONG $1: $3 in place of $2" >&2; exit 1; fi
}
state() { "$engine" inspect --format "{{.State.$1}}" "$container"; }
up() {
  $compose up -d
  container=$("$engine" ps --all --quiet --filter label=com.docker.compose.project=nines-try)
  for _ in $(seq 1 60); do
    if curl -fs "$url/ready" > /dev/null; then return; fi
    sleep 1
  done
  "$engine" logs "$container" >&2
  exit 1
}
post() { # post PATH BODY [HEADER]
  curl -sS "$url/api/v1/$1" -H 'Content-Type: application/json' -H "${3:-Accept: */*}" -d "$2"
}
token() { sed 's/.*"access_token":"\([^"]*\)".*/\1/'; }

url=http://127.0.0.1:8080
trap '$compose down -v > /dev/null 2>&1' EXIT
"$engine" load --input "$image"
up
setup_token=$("$engine" logs "$container" 2>&1 | sed -n 's/.*"setup_token":"\([0-9a-f]*\)".*/\1/p')
person='"email":"ada@example.com","password":"correct horse"'
bearer="Authorization: Bearer $(post auth/register "{\"name\":\"ada\",\"setup_token\":\"$setup_token\",$person}" | token)"
probe='{"name":"self","type":"icmp","target":"127.0.0.1"}'
is 'probe by ping' '"ok":true' "$(post embedded/probes/test "$probe" "$bearer" | grep -o '"ok":true')"
is doctor '' "$("$engine" exec "$container" /usr/bin/nines doctor | grep ^error)"
if [ "$engine" = docker ]; then # Podman checks by a timer of systemd
  for _ in $(seq 1 90); do
    [ "$(state Health.Status)" = starting ] || break
    sleep 1
  done
  is health healthy "$(state Health.Status)"
fi
$compose stop
is 'exit code' 0 "$(state ExitCode)"
$compose down # keeps the volume
up
case $(post auth/login "{$person}") in
  *'"access_token"'*) echo 'ok    a new container has the data of the old one' ;;
  *) echo 'WRONG the data are lost' >&2 && exit 1 ;;
esac
