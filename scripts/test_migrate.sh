#!/usr/bin/env bash
# Compares the recipes of docs/migrate.md and docs/engines.md with the programs they are for, fetched from the Python package registry: datasketch, text-dedup,
# datatrove, DuckDB, polars, Dask and Ray. The exit status is 77 where these cannot be installed.
# scripts/test_migrate.sh                  with the wheel that scripts/test_python.sh has built
# scripts/test_migrate.sh --package DIR    with the package nearkin in DIR
set -euo pipefail
cd "$(dirname "$0")/.."

env=build/migrate-env
skip() { echo "migrate: SKIPPED: $*"; exit 77; }

package=
if [ "${1:-}" = --package ]; then
  package=$(realpath "${2:?scripts/test_migrate.sh: --package takes a folder}")
  what=(numpy pyarrow fsspec)
else
  wheel=$(ls build/wheel/nearkin-*.whl 2>/dev/null) || { echo "scripts/test_migrate.sh: there is no wheel in build/wheel; run scripts/test_python.sh first" >&2; exit 2; }
  what=("$wheel[arrow]")
fi
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python 3.10 or later is needed, this is $(python3 --version)"
rm -rf "$env"
python3 -m venv "$env" || skip "python3 -m venv does not work here (Debian: python3-venv)"
pip="$env/bin/python -m pip --disable-pip-version-check -q"
# In two steps, as text-dedup asks for an older urllib3 than the others; it runs with a newer one, too.
$pip install "${what[@]}" pytest datasketch==2.0.0 duckdb polars dask text-dedup==0.4.0 || skip "the Python package registry cannot be reached"
$pip install 'datatrove[io,processing]==0.10.1' spacy ray || skip "the Python package registry cannot be reached"

echo "== migrate: the recipes beside datasketch, text-dedup, datatrove, DuckDB, polars, Dask and Ray"
tests="$PWD/python/tests"
cd build
PYTHONPATH="$tests${package:+:$package}" "migrate-env/bin/python" -m pytest -q -rs -p no:cacheprovider --rootdir "$tests" "$tests/test_compat.py" "$tests/test_migrate.py" "$tests/test_engines.py"
