#!/usr/bin/env bash
# Installs what is missing of Debian's packages. Sourced or run by the other scripts; needs root (or sudo) only when something is missing.
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config python3 ccache
  libsimdjson-dev zlib1g-dev libzstd-dev libhwy-dev libxxhash-dev libutf8proc-dev liblmdb-dev libboost1.81-dev libfmt-dev libcli11-dev)
if [ "${1:-}" = tests ]; then
  packages+=(libgtest-dev zstd gzip)
fi

root=()
[ "$(id -u)" = 0 ] || root=(sudo)
install() {
  echo "installing from Debian's packages: $*" >&2
  "${root[@]}" apt-get update -qq &&
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  install "${missing[@]}"
fi

# The test of the report's page drives a browser, and is skipped where there is none. By command, not by package: where nodejs brings npm
# along, Debian's package npm conflicts with it.
if [ "${1:-}" = tests ]; then
  for wanted in chromium:chromium node:nodejs npm:npm; do
    command -v "${wanted%%:*}" >/dev/null || install "${wanted##*:}" ||
      echo "no ${wanted##*:} could be installed; the test of the report's page will be skipped" >&2
  done
fi
