#!/usr/bin/env bash
# Installs a build into an empty folder and uses it from outside: by find_package, by pkg-config, and as a command.
# usage: run_install.sh BUILD_FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$1" --prefix "$work/prefix" > "$work/log" || { cat "$work/log"; exit 1; }
expected="0.1.0 1"

cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ "$("$work/build/outside")" = "$expected" ] || { echo "find_package: wrong output"; exit 1; }

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name nearkin.pc)")
# shellcheck disable=SC2046
c++ -std=c++20 "$here/outside.cc" -o "$work/by-pkg-config" $(pkg-config --cflags --libs nearkin)
[ "$("$work/by-pkg-config")" = "$expected" ] || { echo "pkg-config: wrong output"; exit 1; }

[ "$("$work/prefix/bin/nearkin" --version)" = "nearkin 0.1.0" ] || { echo "command: wrong version"; exit 1; }
echo "installed and used from outside"
