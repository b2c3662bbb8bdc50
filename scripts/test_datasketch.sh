#!/usr/bin/env bash
# Runs datasketch's own tests, fetched from the Python package registry, against nearkin.compat.datasketch. The tests that are known to fail are listed in
# python/tests/datasketch_suite.py with the reason; the exit status is 1 when another one fails, or one of them passes, and 77 where the tests cannot run.
# scripts/test_datasketch.sh                  with the wheel that scripts/test_python.sh has built
# scripts/test_datasketch.sh --package DIR    with the package nearkin in DIR
set -euo pipefail
cd "$(dirname "$0")/.."

# The newest release whose source archive has tests.
version=1.7.0
hash=sha256:6e9913e923655dd5b1bc5ba6eecc1ff597b876a31720a49ed01570ea3069d9e3
env=build/datasketch-env
skip() { echo "datasketch: SKIPPED: $*"; exit 77; }

package=
if [ "${1:-}" = --package ]; then
  package=$(realpath "${2:?scripts/test_datasketch.sh: --package takes a folder}")
  what=(numpy pyarrow)
else
  wheel=$(ls build/wheel/nearkin-*.whl 2>/dev/null) || { echo "scripts/test_datasketch.sh: there is no wheel in build/wheel; run scripts/test_python.sh first" >&2; exit 2; }
  what=("$wheel[arrow]")
fi
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python 3.10 or later is needed, this is $(python3 --version)"
rm -rf "$env"
python3 -m venv "$env" || skip "python3 -m venv does not work here (Debian: python3-venv)"
pip="$env/bin/python -m pip --disable-pip-version-check -q"
$pip install "${what[@]}" pytest scipy mock mockredispy redis setuptools wheel || skip "the Python package registry cannot be reached"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "datasketch==$version --hash=$hash" > "$work/requirements"
$pip download --no-binary datasketch --no-deps --no-build-isolation --require-hashes -r "$work/requirements" -d "$work" || skip "the source archive of datasketch $version cannot be fetched"
tar xzf "$work/datasketch-$version.tar.gz" -C "$work" "datasketch-$version/test"

# The archive has the tests without the module that they share.
suite="$work/datasketch-$version"
printf 'def fake_hash_func(value):\n    return value\n' > "$suite/test/utils.py"
touch "$suite/test/__init__.py"

echo "== datasketch $version: its tests against nearkin.compat.datasketch"
path="$PWD/python/tests${package:+:$package}"
python="$PWD/$env/bin/python"
cd "$suite"
PYTHONPATH="$path" "$python" -m pytest -q -p no:cacheprovider -p datasketch_suite test
