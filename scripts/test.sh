#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test, those of the Python package among them where the Python package registry can be reached.
# --spark adds the tests of the Spark job, --long the sanitizers, the clang build, requests made from the description of the
# server, the fuzz targets and 50,000 random invocations.
set -euo pipefail
cd "$(dirname "$0")/.."

long=no spark=
for flag in "$@"; do
  case "$flag" in
    --long) long=yes ;;
    --spark) spark=--spark ;;
    *) echo "scripts/test.sh: $flag is not --spark or --long" >&2; exit 2 ;;
  esac
done

scripts/setup.sh tests
python3 scripts/check_layers.py
scripts/check_format.sh
scripts/check_tidy.sh
cmake --preset dev >/dev/null
cmake --build --preset dev
(cd build/dev && ctest --output-on-failure -j "$(nproc)")
scripts/test_python.sh $spark

if [ "$long" = yes ]; then
  for preset in asan tsan clang; do
    echo "== $preset"
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset"
    (cd "build/$preset" && ctest --output-on-failure -j "$(nproc)")
  done
  echo "== api"
  scripts/test_api.sh
  echo "== fuzz"
  scripts/fuzz.sh
  echo "== cross roads"
  python3 tests/law/cross_roads.py build/dev/nearkin --long
fi
