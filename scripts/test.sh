#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test, those of the Python package among them where the Python package registry can be reached.
# --spark adds the tests of the Spark job, --release makes what users install and tries it (scripts/release.sh, scripts/test_release.sh), --aarch64 those of a build for that machine (scripts/test_aarch64.sh), --long the whole proof
# (scripts/proof.sh, whose steps can be run singly; what follows --long is for it, such as --fuzz-seconds 60).
set -euo pipefail
cd "$(dirname "$0")/.."

long=no spark= aarch64=no release=no proof=()
while [ $# -gt 0 ]; do
  case "$1" in
    --long) long=yes; shift; proof=("$@"); break ;;
    --spark) spark=--spark ;;
    --aarch64) aarch64=yes ;;
    --release) release=yes ;;
    *) echo "scripts/test.sh: $1 is not --spark, --aarch64, --release or --long" >&2; exit 2 ;;
  esac
  shift
done

scripts/setup.sh tests
python3 scripts/check_layers.py
scripts/check_format.sh
scripts/check_tidy.sh
cmake --preset dev >/dev/null
cmake --build --preset dev
(cd build/dev && ctest --output-on-failure -j "$(nproc)")
scripts/test_python.sh $spark

if [ "$release" = yes ]; then
  scripts/release.sh
  [ "$(uname -m)" = aarch64 ] || scripts/release.sh --machine aarch64
  scripts/test_release.sh
fi
if [ "$aarch64" = yes ] && [ "$long" = no ]; then
  scripts/test_aarch64.sh
fi
if [ "$long" = yes ]; then
  scripts/proof.sh "${proof[@]}"
fi
