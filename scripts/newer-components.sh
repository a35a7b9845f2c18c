#!/usr/bin/env bash
# Unpacks what people run today, in versions that the installed Debian does not have, from Debian's newer suites into a folder
# of the user's cache, as `prometheus-3.5`, `promtool-3.5` and `victoria-metrics-1.145`. Asks the mirror that apt asks already,
# with lists of its own: the state of apt and dpkg stays as it is. Quick when all is there; needs no root.
set -euo pipefail

programs=(prometheus-3.5 promtool-3.5 victoria-metrics-1.145)
suites=(trixie forky sid)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/nines-components

missing() {
  for program in "${programs[@]}"; do
    [ -x "$cache/$program" ] || echo "$program"
  done
}

[ -n "$(missing)" ] || exit 0
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
  echo "missing in $cache: $(missing | xargs); they are unpacked from Debian packages, which needs apt-get and dpkg-deb" >&2
  exit 1
fi

mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9
work=$(mktemp -d "$cache/.unpacking-XXXXXX") # on the same disk, so that a program is there as a whole or not at all
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/lists/partial "$work"/cache/archives/partial
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | sed -n 1p)
[ -n "$mirror" ] || { echo "apt has no lists yet: run apt-get update" >&2; exit 1; }
for suite in "${suites[@]}"; do
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
done >"$work/sources.list"
options=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
  -o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none)
apt-get "${options[@]}" update -qq >&2

cd "$work"
for program in $(missing); do
  package=${program%-*} upstream=${program##*-}
  found=$(apt-cache "${options[@]}" madison "$package" | awk -v upstream="$upstream." 'index($3, upstream) == 1 { print $3 }' | sort -rV | sed -n 1p)
  [ -n "$found" ] || { echo "no $package $upstream in ${suites[*]}" >&2; continue; }
  apt-get "${options[@]}" download -qq "$package=$found" >&2
  dpkg-deb -x "${package}_"*.deb "$program.unpacked"
  mv "$program.unpacked/usr/bin/$package" "$cache/$program"
done
[ -z "$(missing)" ] || { echo "still missing after the download: $(missing | xargs)" >&2; exit 1; }
