#!/usr/bin/env bash
# Whether the C++ code is formatted as .clang-format says, and text files as .editorconfig does. --fix formats it.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(git ls-files '*.cc' '*.h' 2>/dev/null || true)
[ ${#sources[@]} -gt 0 ] || { echo "format: not a git checkout, nothing checked"; exit 0; }
if command -v clang-format-14 >/dev/null; then
  if [ "${1:-}" = --fix ]; then
    clang-format-14 -i "${sources[@]}"
  fi
  clang-format-14 --dry-run -Werror "${sources[@]}" || { echo "format: run scripts/check_format.sh --fix" >&2; exit 1; }
else
  echo "format: clang-format-14 is missing, the code was not checked; apt-get install clang-format-14" >&2
fi
if git grep -nIE '[[:blank:]]+$' -- '*.cc' '*.h' '*.py' '*.sh' '*.cmake' '*.mjs' '*.js' '*.css' 'CMakeLists.txt'; then
  echo "format: blanks at the end of these lines" >&2
  exit 1
fi
echo "format: as .clang-format and .editorconfig say"
