#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. --long adds the sanitizers, the clang build and the fuzz targets.
set -euo pipefail
cd "$(dirname "$0")/.."

long=no
[ "${1:-}" = --long ] && long=yes

scripts/setup.sh tests
python3 scripts/check_layers.py
cmake --preset dev >/dev/null
cmake --build --preset dev
(cd build/dev && ctest --output-on-failure -j "$(nproc)")

if [ "$long" = yes ]; then
  for preset in asan tsan clang; do
    echo "== $preset"
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset"
    (cd "build/$preset" && ctest --output-on-failure -j "$(nproc)")
  done
  echo "== fuzz"
  scripts/fuzz.sh
fi
