#!/usr/bin/env bash
# Fetches the Debian packages of the container image into a folder, for an architecture of Debian. Asks the mirror that apt asks
# already, with lists of its own: the state of apt and dpkg stays as it is. Quick when all are there; needs no root.
# usage: base-packages.sh amd64|arm64 FOLDER
set -euo pipefail

architecture=$1 folder=$2
packages=(libc6 gcc-12-base libgcc-s1 libstdc++6 ca-certificates tzdata iputils-ping libcap2 libidn2-0 libunistring2)

missing() {
  for package in "${packages[@]}"; do
    compgen -G "$folder/${package}_*.deb" >/dev/null || echo "$package"
  done
}

[ -n "$(missing)" ] || exit 0
mkdir -p "$folder"
work=$(mktemp -d "$folder/.fetching-XXXXXX") # on the same disk, so that a package is there as a whole or not at all
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/lists/partial "$work"/cache/archives/partial
: >"$work/status"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/$' | sed -n 1p)
[ -n "$mirror" ] || { echo "apt has no lists yet: run apt-get update" >&2; exit 1; }
{
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm-updates main"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror%/}-security bookworm-security main"
} >"$work/sources.list"
options=(-o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::State::status=$work/status"
  -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
  -o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none)
apt-get "${options[@]}" update -qq >&2
cd "$work"
# shellcheck disable=SC2046
apt-get "${options[@]}" download -qq $(missing) >&2
mv -- *.deb "$folder"
[ -z "$(missing)" ] || { echo "still missing after the download: $(missing | xargs)" >&2; exit 1; }
