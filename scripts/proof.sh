#!/usr/bin/env bash
# The long part of the proof, step by step, each with its time, and a table at the end (docs/reliability.md says what each step shows).
# Usage: scripts/proof.sh [FLAG ...] [STEP ...]     without a STEP: all of them, one after the other
#
#   --list             name the steps
#   --resume           leave out what passed at this state of the code already, whole steps and parts of one (a whole run takes hours); the table has all times
#   --fuzz-seconds S   for each fuzz target (default 300)
#   --road-runs N      random invocations (default 50000)
#   --kills N          processes killed (default 500)
#   --damage-runs N    damaged index files (default 2000)
#   --hostile-runs N   times that hostile clients come (default 20)
#   --soak-seconds S   time under load (default 600)
#   --cuts N           power cuts (default 1200)
#
# What a step says is kept in build/proof/STEP.log, and what passed in docs/proof.tsv, which --resume goes by. The exit status is 1 when a step failed; one
# that cannot run here is named and is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."

all=(asan tsan clang fuzz roads kills damage hostile soak power api datasketch migrate aarch64)
fuzz_seconds=300 road_runs=50000 kills=500 damage_runs=2000 hostile_runs=20 soak_seconds=600 cuts=1200
steps=() resume=no
number() { [[ $2 =~ ^[1-9][0-9]*$ ]] || { echo "proof.sh: $1 takes a number from 1 on, not '$2'" >&2; exit 2; }; }
while [ $# -gt 0 ]; do
  case "$1" in
    --list) printf '%s\n' "${all[@]}"; exit 0 ;;
    --resume) resume=yes; shift ;;
    --fuzz-seconds | --road-runs | --kills | --damage-runs | --hostile-runs | --soak-seconds | --cuts)
      number "$1" "${2:-}"
      name=${1#--} name=${name//-/_}
      printf -v "$name" %s "$2"
      shift 2 ;;
    *)
      [[ " ${all[*]} " == *" $1 "* ]] || { echo "proof.sh: there is no step $1; the steps are: ${all[*]}" >&2; exit 2; }
      steps+=("$1")
      shift ;;
  esac
done
[ ${#steps[@]} -gt 0 ] || steps=("${all[@]}")

cannot_run() { echo "CANNOT RUN HERE: $*"; exit 77; }
jobs=$(nproc)

# Every file of the library, the server and the command line must be compiled with the sanitizer, or a fault in it goes unseen.
require_instrumented() {
  python3 - "$1" "$2" <<'PYTHON'
import json, sys
commands = json.load(open(f"build/{sys.argv[1]}/compile_commands.json"))
bare = [entry["file"] for entry in commands if sys.argv[2] not in entry["command"]]
if bare:
    sys.exit("compiled without " + sys.argv[2] + ": " + ", ".join(bare))
print(f"{len(commands)} files, each compiled with {sys.argv[2]}")
PYTHON
}

build() {
  cmake --preset "$1" >/dev/null
  cmake --build --preset "$1" -j "$jobs" "${@:2}"
}
# part NAME COMMAND...: a part of a step, which --resume leaves out if it passed already. Its time counts for the step all the same.
part() {
  local begin=$SECONDS earlier
  earlier=$(passed_before "$1")
  if [ -n "$earlier" ]; then
    echo "$step $1: passed before"
    echo "$earlier" >> "build/proof/$step.earlier"
    return 0
  fi
  "${@:2}"
  note_passed "$1" $((SECONDS - begin))
}
# longest_first PRESET: ctest starts the longest tests first if it knows their times; those of the dev build will do. A long test at the end leaves a core idle.
longest_first() {
  local known=build/dev/Testing/Temporary/CTestCostData.txt own=build/$1/Testing/Temporary/CTestCostData.txt
  [ -f "$own" ] || [ ! -f "$known" ] || install -D -m 644 "$known" "$own"
}
build_and_test() {
  local slice
  build "$1"
  longest_first "$1"
  for slice in {1..20}; do part "$slice" ctest_slice "$1" "$slice"; done
}
ctest_slice() { (cd "build/$1" && ctest --output-on-failure -j "$jobs" -I "$2,,20"); }

# A read beyond the end of a damaged index is a signal, which tests and program meet themselves.
step_asan() {
  export ASAN_OPTIONS=handle_sigbus=0:handle_segv=0
  build asan && require_instrumented asan -fsanitize=address,undefined && build_and_test asan
}
step_tsan() {
  export NEARKIN_LATE_SIGNALS=1
  export TSAN_OPTIONS=handle_sigbus=0:handle_segv=0:suppressions=$PWD/tests/tsan_suppressions.txt
  build tsan && require_instrumented tsan -fsanitize=thread && build_and_test tsan
}
step_clang() {
  command -v clang++-14 >/dev/null || cannot_run "clang++-14 is missing; apt-get install clang-14 libclang-rt-14-dev"
  build_and_test clang
}
step_fuzz() {
  command -v clang++-14 >/dev/null || cannot_run "clang++-14 is missing; apt-get install clang-14 libclang-rt-14-dev"
  local targets=() target
  build fuzz
  for target in build/fuzz/fuzz/fuzz_*; do [ ! -f "$target" ] || [ ! -x "$target" ] || targets+=("${target##*/fuzz_}"); done
  while [ ${#targets[@]} -gt 0 ]; do
    part "${targets[0]}" scripts/fuzz.sh "$fuzz_seconds" "${targets[@]:0:2}"
    targets=("${targets[@]:2}")
  done
}
step_roads() {
  build dev --target nearkin_cli
  python3 tests/law/cross_roads.py build/dev/nearkin --runs "$road_runs"
}
step_kills() {
  build dev --target nearkin_cli nearkin_tests
  python3 tests/law/kill_resume.py build/dev/nearkin "$kills"
  NEARKIN_KILLS=$kills build/dev/tests/nearkin_tests --gtest_filter='IndexCrash.*'
}
step_damage() {
  build dev --target nearkin_cli
  grep -q -- '--runs' tests/index/damage.py || cannot_run "tests/index/damage.py takes no --runs"
  python3 tests/index/damage.py build/dev/nearkin --runs "$damage_runs"
}
step_hostile() {
  build dev --target nearkin_cli nearkin_tests
  NEARKIN_BINARY=$PWD/build/dev/nearkin build/dev/tests/nearkin_tests --gtest_filter='*Hostile*' --gtest_repeat="$hostile_runs" --gtest_brief=1 --gtest_break_on_failure
  [ ! -f tests/server/abuse.py ] || python3 tests/server/abuse.py build/dev/nearkin
}
step_soak() {
  build dev --target nearkin_cli
  python3 tests/server/soak.py build/dev/nearkin --seconds "$soak_seconds"
}
step_power() {
  build dev --target nearkin_cli nearkin_record_writes
  python3 tests/power/power_cuts.py build/dev/nearkin build/dev/tests/libnearkin_record_writes.so --cuts "$cuts"
}
step_api() {
  [ -x scripts/test_api.sh ] || cannot_run "there is no scripts/test_api.sh"
  scripts/test_api.sh
}
from_registry() {
  local status=0
  "$@" || status=$?
  [ "$status" != 77 ] || cannot_run "it needs packages of the Python package registry"
  return "$status"
}
step_datasketch() { from_registry scripts/test_datasketch.sh; }
step_migrate() { from_registry scripts/test_migrate.sh; }
step_aarch64() {
  local slice
  part golden scripts/test_aarch64.sh golden
  part roads scripts/test_aarch64.sh roads
  for slice in {1..20}; do part "unit-$slice" scripts/test_aarch64.sh "unit:$slice/20"; done
}

# What is run, for --resume: the commit ("changed" where files differ from it), the state of the code (a commit that changes only docs and changelog
# leaves it as it was), and how long the steps are.
commit=$(git rev-parse --short HEAD)
[ -z "$(git status --porcelain -- . ':!docs' ':!CHANGELOG.md')" ] || commit=changed
code=$(git ls-tree HEAD | grep -vE $'\t(docs|CHANGELOG.md)$' | git hash-object --stdin | cut -c1-10)
lengths=$fuzz_seconds/$road_runs/$kills/$damage_runs/$hostile_runs/$soak_seconds/$cuts

# The record: the last time that each step (part "-") and each part of one passed. Its columns: step, part, lengths, state of the code, seconds, commit, day.
record=docs/proof.tsv
# passed_before PART: the seconds that it took, if --resume may leave it out.
passed_before() {
  [ "$resume" = yes ] && [ "$commit" != changed ] && [ -f "$record" ] || return 0
  awk -F'\t' -v step="$step" -v part="$1" -v lengths="$lengths" -v code="$code" '$1 == step && $2 == part && $3 == lengths && $4 == code {print $5}' "$record"
}
# note_passed PART SECONDS: takes the place of what was noted before; nothing is noted of code that differs from its commit.
note_passed() {
  [ "$commit" != changed ] || return 0
  touch "$record"
  awk -F'\t' -v step="$step" -v part="$1" -v lengths="$lengths" '!($1 == step && $2 == part && $3 == lengths)' "$record" >"$record.tmp"
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$step" "$1" "$lengths" "$code" "$2" "$commit" "$(date +%F)" >>"$record.tmp"
  mv "$record.tmp" "$record"
}

clock() { printf '%d:%02d:%02d' $(($1 / 3600)) $(($1 / 60 % 60)) $(($1 % 60)); }
mkdir -p build/proof
table=() failed=0
for step in "${steps[@]}"; do
  earlier=$(passed_before -)
  if [ -n "$earlier" ]; then
    table+=("$(printf '%-10s %8s  %s' "$step" "$(clock "$earlier")" "passed before")")
    continue
  fi
  echo "== $step ($(date +%H:%M:%S))"
  begin=$SECONDS
  rm -f "build/proof/$step.earlier"
  set +e
  (set -euo pipefail; "step_$step") 2>&1 | tee "build/proof/$step.log"
  status=${PIPESTATUS[0]}
  set -e
  earlier=$(paste -sd+ "build/proof/$step.earlier" 2>/dev/null || true)
  took=$((SECONDS - begin + ${earlier:-0}))
  case $status in
    0) how=passed; note_passed - "$took" ;;
    77) how="cannot run here: $(sed -n 's/^CANNOT RUN HERE: //p' "build/proof/$step.log" | tail -n 1)" ;;
    *) how="FAILED, status $status" failed=1 ;;
  esac
  echo "== $step: $how; $(clock "$took")"
  table+=("$(printf '%-10s %8s  %s' "$step" "$(clock "$took")" "$how")")
done
printf '\n%s, code %s\n%-10s %8s  %s\n' "$commit" "$code" step time result
printf '%s\n' "${table[@]}"
exit "$failed"
