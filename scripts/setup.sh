#!/usr/bin/env bash
# Installs what is missing of Debian's packages. Sourced or run by the other scripts; needs root (or sudo) only when something is missing.
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config python3 ccache
  libsimdjson-dev zlib1g-dev libzstd-dev libhwy-dev libxxhash-dev libutf8proc-dev libfmt-dev libcli11-dev)
if [ "${1:-}" = tests ]; then
  packages+=(libgtest-dev zstd gzip)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing from Debian's packages: ${missing[*]}" >&2
  root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi
