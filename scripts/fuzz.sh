#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some seconds, two at a time. Usage: scripts/fuzz.sh [SECONDS, default 60] [TARGET ...]
# What was learnt stays in build/fuzz/corpus, inputs that crash are left in build/fuzz/crashes, and then the exit status is 1.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "fuzz.sh: $seconds is not a number of seconds" >&2; exit 2; }
[ $# -gt 0 ] && shift
command -v clang++-14 >/dev/null || { echo "fuzz.sh: clang++-14 is missing; apt-get install clang-14 libclang-rt-14-dev" >&2; exit 2; }

build=build/fuzz
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
if [ $# -eq 0 ]; then
  for target in "$build"/fuzz/fuzz_*; do [ -x "$target" ] && [ -f "$target" ] && set -- "$@" "${target##*/fuzz_}"; done
fi
for name in "$@"; do
  [ -x "$build/fuzz/fuzz_$name" ] || { echo "fuzz.sh: there is no target $name" >&2; exit 2; }
done

rm -rf "$build/seeds"
cp -r fuzz/seeds "$build/seeds"
python3 fuzz/make_seeds.py "$build/seeds"
mkdir -p "$build/crashes" "$build/logs"
shared=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)/nearkin-fuzz.XXXXXX")
trap 'rm -rf "$shared"' EXIT

run_target() {
  local name=$1 build=$2 seconds=$3 begin=$SECONDS
  mkdir -p "$build/corpus/$name" "$build/seeds/$name"
  # A zstd frame may ask for a window of 2 GiB, which is allocated and never touched.
  if "$build/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=4096 \
       -print_final_stats=1 -artifact_prefix="$build/crashes/$name-" "$build/corpus/$name" "$build/seeds/$name" >"$build/logs/$name" 2>&1; then
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/logs/$name") inputs in $((SECONDS - begin)) s"
  else
    echo "$name: FAILED; see $build/logs/$name and $build/crashes"
    return 1
  fi
}
export -f run_target
export TMPDIR=$shared
printf '%s\n' "$@" | xargs -P 2 -I '{}' bash -c 'run_target "$@"' run '{}' "$build" "$seconds" ||
  { echo "fuzz.sh: a target failed" >&2; exit 1; }
