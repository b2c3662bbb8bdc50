#!/usr/bin/env bash
# Holds the server against its description: schemathesis makes requests from server/openapi.json, right and wrong ones, and checks the answers.
# Once without a token, once with one. Skipped where the Python package registry cannot be reached.
# scripts/test_api.sh [NEARKIN]   (default build/dev/nearkin)
set -euo pipefail
cd "$(dirname "$0")/.."

nearkin=$(realpath "${1:-build/dev/nearkin}")
env=build/api-env
skip() { echo "api: SKIPPED: $*"; exit 0; }

[ -x "$nearkin" ] || { echo "scripts/test_api.sh: $nearkin is not there; build it first" >&2; exit 2; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python 3.10 or later is needed, this is $(python3 --version)"
if [ ! -x "$env/bin/schemathesis" ]; then
  python3 -m venv "$env" || skip "python3 -m venv does not work here (Debian: python3-venv)"
  "$env/bin/python" -m pip --disable-pip-version-check -q install 'schemathesis>=4,<5' || skip "the Python package registry cannot be reached"
fi

work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

# run FLAGS -- FLAGS OF SCHEMATHESIS: a fresh server, and requests to it.
run() {
  local flags=() port=
  while [ "$1" != -- ]; do flags+=("$1"); shift; done
  shift
  rm -rf "$work/index" "$work/backups"
  mkdir "$work/backups"
  "$nearkin" index create "$work/index" "$work/docs.jsonl" --store-texts --metadata lang -q
  : > "$work/log"
  "$nearkin" serve "$work/index" --listen 127.0.0.1:0 --backup-folder "$work/backups" "${flags[@]}" 2> "$work/log" &
  server=$!
  for _ in $(seq 200); do
    port=$(sed -n 's/.*127.0.0.1:\([0-9]*\);.*/\1/p' "$work/log")
    [ -n "$port" ] && break
    sleep 0.05
  done
  (cd "$work" && PYTHONPATH="$OLDPWD/tests/server" PYTHONDONTWRITEBYTECODE=1 SCHEMATHESIS_HOOKS=schemathesis_hooks "$OLDPWD/$env/bin/schemathesis" --config-file "$OLDPWD/tests/server/schemathesis.toml" run "http://127.0.0.1:$port/openapi.json" \
    --max-examples 100 --seed 1 --request-timeout 60 "$@")
  kill "$server"
  wait "$server"
  server=
}

printf '{"id":"a","text":"one two three four five six","lang":"en"}\n{"id":"b","text":"one two three four five seven"}\n' > "$work/docs.jsonl"
(umask 077; head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' > "$work/token")
echo "== api: without a token"
run --
echo "== api: with a token"
run --token-file "$work/token" -- -H "Authorization: Bearer $(cat "$work/token")"
