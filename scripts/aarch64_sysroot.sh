#!/usr/bin/env bash
# Fetches Debian's arm64 packages of the libraries that nearkin needs and unpacks them into a folder: what the cross-build links with, and
# what its programs run with under qemu-user. The packages of this machine are left alone: no foreign architecture is added.
# Usage: scripts/aarch64_sysroot.sh [FOLDER, default build/aarch64-sysroot]
set -euo pipefail
cd "$(dirname "$0")/.."

sysroot=${1:-build/aarch64-sysroot}
packages=(libsimdjson-dev zlib1g-dev libzstd-dev libhwy-dev libxxhash-dev libutf8proc-dev liblmdb-dev libboost1.81-dev libssl-dev libfmt-dev libcli11-dev
  libgtest-dev libstdc++6)
stamp="$sysroot/.packages"
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "${packages[*]}" ] && exit 0

sources=/etc/apt/sources.list.d/debian.sources
[ -f "$sources" ] || sources=/etc/apt/sources.list
mkdir -p "$sysroot"
apt=$(mktemp -d "${TMPDIR:-/tmp}/nearkin-apt.XXXXXX")
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache"
  -o Dir::Etc::SourceList="$sources" -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User= -o Debug::NoLocking=1 -o APT::Install-Recommends=0)
# Images for containers have hooks that empty the cache, which here is what we are after.
options+=(-o APT::Update::Post-Invoke= -o DPkg::Post-Invoke= -o Binary::apt::APT::Keep-Downloaded-Packages=1)
apt-get "${options[@]}" update
apt-get "${options[@]}" install -y --download-only "${packages[@]}"

# As on Debian itself, /lib is a part of /usr.
mkdir -p "$sysroot/usr/lib" "$sysroot/usr/bin" "$sysroot/usr/sbin"
for name in lib bin sbin; do ln -sfn "usr/$name" "$sysroot/$name"; done
for package in "$apt"/cache/archives/*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x -C "$sysroot" --keep-directory-symlink --exclude=./usr/share/doc; done
echo "${packages[*]}" >"$stamp"
echo "$sysroot: $(ls "$apt"/cache/archives/*.deb | wc -l) packages unpacked, $(du -sh "$sysroot" | cut -f1)" >&2
