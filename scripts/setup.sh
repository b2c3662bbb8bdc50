#!/usr/bin/env bash
# Installs what is missing of Debian's packages. Sourced or run by the other scripts; needs root (or sudo) only when something is missing.
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config python3 ccache
  libsimdjson-dev zlib1g-dev libzstd-dev libhwy-dev libxxhash-dev libutf8proc-dev liblmdb-dev libboost1.81-dev libssl-dev libfmt-dev libcli11-dev)
if [ "${1:-}" = tests ]; then
  packages+=(libgtest-dev zstd gzip openssl curl poppler-utils python3-html5lib clang-format-14 clang-tidy-14)
fi
if [ "${1:-}" = aarch64 ]; then
  packages+=(g++-aarch64-linux-gnu qemu-user-static)
fi

if [ "${1:-}" = release ]; then
  packages+=(dpkg-dev fakeroot lintian binutils xz-utils patch debootstrap)
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

# The Python package is tested in an environment of its own, where that can be made; its module is built with Python's headers.
if [ "${1:-}" = tests ]; then
  python3 -c 'import ensurepip, venv' 2>/dev/null || install python3-venv || echo "no python3-venv could be installed; the Python package will not be tested" >&2
  python3 -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || install python3-dev ||
    echo "no python3-dev could be installed; the Python package will not be tested" >&2
fi
if [ "${1:-}" = spark ]; then
  command -v java >/dev/null || install default-jre-headless || echo "no default-jre-headless could be installed; the Spark job will not be tested" >&2
fi
if [ "${1:-}" = aarch64 ]; then
  "$(dirname "${BASH_SOURCE[0]}")/aarch64_sysroot.sh"
fi
