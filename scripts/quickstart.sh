#!/usr/bin/env bash
# From nothing to a first result: installs what is missing, builds build/release/nearkin, and finds the near-duplicates among the licence
# and copyright files that every Debian machine has.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset release >/dev/null
cmake --build --preset release

nearkin=build/release/nearkin
out=build/quickstart
mkdir -p "$out"
find /usr/share/common-licenses /usr/share/doc -type f \( -name copyright -o -path '*/common-licenses/*' \) | LC_ALL=C sort > "$out/files.txt"

# Exit 1 means: done, but some records (here: files that are not UTF-8) were skipped and named.
run() { echo; echo "\$ nearkin $*"; "$nearkin" "$@" || [ $? -eq 1 ]; }

run dedup --files-from "$out/files.txt" --format files --threshold 0.8 -o "$out/kept.txt" --removed "$out/removed.tsv"
echo
echo "kept:    $(wc -l < "$out/kept.txt") files, listed in $out/kept.txt"
echo "removed: $(wc -l < "$out/removed.tsv") files, each with the file that stays for it, in $out/removed.tsv; the least similar of them:"
# Not by a pipe: its end would be the end of sort, and of this script.
head -n 5 < <(sort -t "$(printf '\t')" -k3,3g "$out/removed.tsv")
