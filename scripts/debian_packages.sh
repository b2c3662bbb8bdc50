#!/usr/bin/env bash
# Fetches packages of another release or architecture of Debian, with what they depend on, and unpacks them into a folder. The packages of
# this machine are left alone.
# usage: scripts/debian_packages.sh ARCHITECTURE SUITE FOLDER PACKAGE ...
#        scripts/debian_packages.sh source SUITE FOLDER PACKAGE[=VERSION] ...     their sources; needs dpkg-dev
# --alone before the first PACKAGE: without what they depend on.
set -euo pipefail

[ $# -ge 4 ] || { echo "usage: scripts/debian_packages.sh ARCHITECTURE|source SUITE FOLDER [--alone] PACKAGE ..." >&2; exit 2; }
architecture=$1 suite=$2 folder=$3
shift 3
alone=no
[ "$1" = --alone ] && alone=yes && shift
packages=("$@")
stamp="$folder/.packages"
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$architecture $suite $alone ${packages[*]}" ] && exit 0

# The mirror that this machine uses.
mirror=$(awk '$1 == "URIs:" && $2 ~ /\/debian\/?$/ {print $2; exit}
              $1 == "deb" {for (i = 2; i <= NF; ++i) if ($i ~ /\/debian\/?$/) {print $i; exit}}' \
  /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null) || true
[ -n "$mirror" ] || { echo "debian_packages.sh: no mirror of Debian in /etc/apt; this needs a Debian machine" >&2; exit 1; }
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

apt=$(mktemp -d "${TMPDIR:-/tmp}/nearkin-apt.XXXXXX")
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$folder"
: >"$apt/status"
type=deb
[ "$architecture" != source ] || { type=deb-src; architecture=$(dpkg --print-architecture); }
{
  echo "$type [signed-by=$keyring] $mirror $suite main"
  # What was mended after the release; old releases have such lists of packages that are gone.
  if [ "$suite" != bullseye ]; then
    echo "$type [signed-by=$keyring] $mirror $suite-updates main"
    echo "$type [signed-by=$keyring] ${mirror%/}-security $suite-security main"
  fi
} >"$apt/sources.list"
options=(-qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Dir::State="$apt/state" -o Dir::State::status="$apt/status"
  -o Dir::Cache="$apt/cache" -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User=
  -o Debug::NoLocking=1 -o APT::Install-Recommends=0)
# Images for containers have hooks that empty the cache, which here is what we are after.
options+=(-o APT::Update::Post-Invoke= -o DPkg::Post-Invoke= -o Binary::apt::APT::Keep-Downloaded-Packages=1)
apt-get "${options[@]}" update || { echo "debian_packages.sh: Debian's packages of $suite cannot be reached" >&2; exit 1; }

if [ "$type" = deb-src ]; then
  (cd "$folder" && apt-get "${options[@]}" source "${packages[@]}" >"$apt/log" 2>&1 || { cat "$apt/log" >&2; exit 1; }
    rm -f ./*.dsc ./*.tar.*)
else
  if [ "$alone" = yes ]; then
    (cd "$apt/cache/archives" && apt-get "${options[@]}" download "${packages[@]}")
  else
    apt-get "${options[@]}" install -y --download-only "${packages[@]}"
  fi
  # As on Debian itself, /lib is a part of /usr.
  mkdir -p "$folder/usr"
  for name in lib lib64 bin sbin; do
    mkdir -p "$folder/usr/$name"
    ln -sfn "usr/$name" "$folder/$name"
  done
  for package in "$apt"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --keep-directory-symlink --exclude=./usr/share/doc/*/changelog*
  done
  # Links from the root of that system are made to stay inside the folder.
  find "$folder" -type l -lname '/*' -printf '%p\t%l\n' | while IFS="$(printf '\t')" read -r link target; do
    ln -sfnr "$folder$target" "$link"
  done
  echo "$folder: $(ls "$apt"/cache/archives/*.deb | wc -l) packages unpacked, $(du -sh "$folder" | cut -f1)" >&2
fi
# The stamp names what was asked for, so a list that has changed is fetched anew.
[ "$type" = deb ] || architecture=source
echo "$architecture $suite $alone ${packages[*]}" >"$stamp"
