#!/usr/bin/env bash
# Where libraries are missing, one message names all of them, and their packages.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$work cmake -S "$source" -B "$work/build" -G Ninja >"$work/log" 2>&1; then
  echo "configured without its libraries"
  exit 1
fi
for line in 'apt-get install libsimdjson-dev zlib1g-dev .*liblmdb-dev libfmt-dev' 'dnf install simdjson-devel .*fmt-devel' 'brew install simdjson .*fmt'; do
  grep -q "$line" "$work/log" || { echo "the message does not say: $line"; cat "$work/log"; exit 1; }
done
echo "one message names all that is missing"
