#!/usr/bin/env bash
# Builds for aarch64 and runs the tests of the library, random invocations and the recorded answers there: the answers are those of x86-64, byte by byte.
# On another machine that is a cross-build, run under qemu-user; on an aarch64 machine it is the ordinary build.
# Usage: scripts/test_aarch64.sh [--road-runs N, default 300] [PART ...]    parts: unit, golden, roads (default: all); unit:I/N is the Ith of N slices
set -euo pipefail
cd "$(dirname "$0")/.."

road_runs=300 parts=()
while [ $# -gt 0 ]; do
  case "$1" in
    --road-runs) road_runs=${2:?--road-runs takes a number}; shift 2 ;;
    unit | golden | roads) parts+=("$1"); shift ;;
    unit:*)
      [[ $1 =~ ^unit:([1-9][0-9]*)/([1-9][0-9]*)$ ]] && [ "${BASH_REMATCH[1]}" -le "${BASH_REMATCH[2]}" ] ||
        { echo "test_aarch64.sh: $1 is not unit:I/N, a slice I of N" >&2; exit 2; }
      parts+=("$1"); shift ;;
    *) echo "test_aarch64.sh: $1 is not --road-runs, unit, unit:I/N, golden or roads" >&2; exit 2 ;;
  esac
done
[ ${#parts[@]} -gt 0 ] || parts=(unit golden roads)

if [ "$(uname -m)" = aarch64 ]; then
  echo "aarch64: this machine is one, nothing is emulated"
  preset=dev
  nearkin=$PWD/build/dev/nearkin tests=("$PWD/build/dev/tests/nearkin_tests")
else
  scripts/setup.sh aarch64
  preset=aarch64
  nearkin=$PWD/build/aarch64/emulated/nearkin
  emulator=(qemu-aarch64-static -L "$PWD/build/aarch64-sysroot")
  tests=("${emulator[@]}" "$PWD/build/aarch64/tests/nearkin_tests")
  # A program of the other machine that is started by its name: the kernel need not know how.
  mkdir -p build/aarch64/emulated
  { echo '#!/bin/sh'; printf 'exec'; printf ' "%s"' "${emulator[@]}" "$PWD/build/aarch64/nearkin"; echo ' "$@"'; } >"$nearkin"
  chmod +x "$nearkin"
fi

lap() { echo "== aarch64: $1, $((SECONDS - begin)) s"; begin=$SECONDS; }
# unit_tests I N: the Ith of N slices, in as many processes as there are cores. Emulated, some tests that draw millions of samples take minutes.
unit_tests() {
  local cores shard pid failed=0 pids=()
  cores=$(nproc)
  mkdir -p build/proof
  rm -f build/proof/aarch64-unit-*.log
  for ((shard = ($1 - 1) * cores; shard < $1 * cores; ++shard)); do
    GTEST_TOTAL_SHARDS=$(($2 * cores)) GTEST_SHARD_INDEX=$shard NEARKIN_BINARY=$nearkin "${tests[@]}" >"build/proof/aarch64-unit-$shard.log" 2>&1 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
  sed -n '/^\[  PASSED  \]/p; /^\[  FAILED  \]/p' build/proof/aarch64-unit-*.log
  [ "$failed" = 0 ] || { echo "aarch64: unit tests failed; see build/proof/aarch64-unit-*.log" >&2; return 1; }
}

begin=$SECONDS
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --target nearkin_cli nearkin_tests
lap build
for part in "${parts[@]}"; do
  case "$part" in
    unit) unit_tests 1 1 ;;
    unit:*) slice=${part#unit:}; unit_tests "${slice%/*}" "${slice#*/}" ;;
    golden) python3 tests/golden/run_golden.py "$nearkin" ;;
    roads)
      plain=()
      if [ "$preset" = aarch64 ]; then
        # The plain road is gone by this machine's own program: both must agree.
        cmake --preset dev >/dev/null
        cmake --build --preset dev --target nearkin_cli
        plain=(--plain build/dev/nearkin)
      fi
      # The emulator takes memory of its own, so no small bound can be kept.
      [ "$preset" = dev ] || plain+=(--without-memory)
      python3 tests/law/cross_roads.py "$nearkin" "${plain[@]}" --runs "$road_runs" --seed 1 ;;
  esac
  lap "$part"
done
