#!/usr/bin/env bash
# Fetches Debian's arm64 packages of the libraries that nearkin needs and unpacks them into a folder: what the cross-build links with, and
# what its programs run with under qemu-user. The packages of this machine are left alone: no foreign architecture is added.
# Usage: scripts/aarch64_sysroot.sh [FOLDER, default build/aarch64-sysroot]
set -euo pipefail
cd "$(dirname "$0")/.."

exec scripts/debian_packages.sh arm64 bookworm "${1:-build/aarch64-sysroot}" libsimdjson-dev zlib1g-dev libzstd-dev libhwy-dev libxxhash-dev \
  libutf8proc-dev liblmdb-dev libboost1.81-dev libssl-dev libfmt-dev libcli11-dev libgtest-dev libstdc++6
