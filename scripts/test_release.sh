#!/usr/bin/env bash
# Installs each file of build/release/dist in an empty environment and runs the README's first run there.
# usage: scripts/test_release.sh [PART ...]     parts: sums wheels tarball aarch64 deb sdist (default: all)
#
# Other systems are Debian 11, 12 and 13, in folders that debootstrap fills from Debian's packages; that needs root and the network. What
# cannot be tried is named as SKIPPED.
set -euo pipefail
cd "$(dirname "$0")/.."

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(sums wheels tarball aarch64 deb sdist)
dist=$PWD/build/release/dist
systems=$PWD/build/release-work
[ -f "$dist/SHA256SUMS" ] || { echo "test_release.sh: build/release/dist is empty; run scripts/release.sh first" >&2; exit 1; }
version=$(sed -n 's/^project(nearkin VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
machine=$(uname -m)
most_seconds=60 # from nothing to a first result
work=$(mktemp -d "${TMPDIR:-/tmp}/nearkin-release.XXXXXX")
system= # the one that is in use, for the trap
clean() {
  rm -rf "$work"
  [ -z "$system" ] || rm -rf "$system/tmp/try"
}
trap clean EXIT

skipped=()
skip() { skipped+=("$*"); echo "SKIPPED: $*"; }
say() { echo "== $*"; }
python3 tests/release/first_use.py >"$work/first_use.sh"
module_check='import nearkin
assert list(nearkin.dedup(["the quick brown fox jumps over the lazy dog"] * 2 + ["a recipe for bread"], nearkin.tune(measure="jaccard", threshold=0.8)).kept) == [0, 2]
print("import nearkin:", nearkin.__version__)'

# Sets `system` to a folder with Debian of that name; fails where none can be had.
enter() { # SUITE PACKAGES
  local mirror
  system=$systems/$1
  [ ! -f "$system/.whole" ] || return 0
  [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || { system=; return 1; }
  mirror=$(awk '$1 == "URIs:" && $2 ~ /\/debian\/?$/ {print $2; exit}
                $1 == "deb" {for (i = 2; i <= NF; ++i) if ($i ~ /\/debian\/?$/) {print $i; exit}}' \
    /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null) || true
  [ -n "$mirror" ] || { system=; return 1; } # no mirror of Debian in /etc/apt
  rm -rf "$system"
  mkdir -p "$systems"
  if ! debootstrap --variant=minbase ${2:+--include="$2"} "$1" "$system" "$mirror" >"$systems/$1.log" 2>&1; then
    rm -rf "$system"
    system=
    return 1
  fi
  touch "$system/.whole"
}
leave() { rm -rf "$system/tmp/try"; system=; }
# In that system, in an empty folder, with nothing of this one's environment.
inside() { chroot "$system" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/tmp/try LANG=C.UTF-8 /bin/sh -c "cd /tmp/try && $1"; }
bring() { rm -rf "$system/tmp/try"; mkdir -p "$system/tmp/try"; cp "$work/first_use.sh" "$@" "$system/tmp/try"; }
glibc() { inside "ldd --version" | sed -n '1s/.* //p'; }

python_of() { # 312 -> the interpreter of Python 3.12
  local number=3.${1#3} candidate
  for candidate in "python$number" "$HOME"/.pyenv/versions/"$number".*/bin/python /usr/bin/python"$number"; do
    "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$number')" 2>/dev/null && { command -v "$candidate"; return; }
  done
  return 0
}

try_sums() {
  say "checksums and SBOM"
  (cd "$dist" && sha256sum --quiet -c SHA256SUMS)
  echo "SHA256SUMS: $(wc -l <"$dist/SHA256SUMS") files as listed"
  python3 - "$dist"/*.cdx.json <<'END'
import json, sys
for path in sys.argv[1:]:
    bom = json.load(open(path))
    assert bom["bomFormat"] == "CycloneDX" and all(part["version"] and part["licenses"] for part in bom["components"])
    print(path.split("/")[-1] + ":", len(bom["components"]), "libraries, each with version and licence")
END
}

try_wheels() {
  local wheel tag python begin seconds said
  for wheel in "$dist"/nearkin-*-manylinux*_"$machine".whl; do
    say "$(basename "$wheel")"
    tag=$(basename "$wheel" | sed 's/.*-cp\(3[0-9]*\)-cp.*/\1/')
    python=$(python_of "$tag")
    [ -n "$python" ] || { skip "the wheel for Python 3.${tag#3}: there is no such Python here"; continue; }
    begin=$(date +%s%N)
    "$python" -m venv "$work/env-$tag"
    if ! "$work/env-$tag/bin/python" -m pip --disable-pip-version-check install -q --no-cache-dir "$wheel"; then
      skip "the wheel for Python 3.${tag#3}: NumPy cannot be fetched from the Python package registry"
      continue
    fi
    mkdir "$work/in-$tag"
    (cd "$work/in-$tag" && PATH="$work/env-$tag/bin:$PATH" sh "$work/first_use.sh")
    seconds=$((($(date +%s%N) - begin) / 100000000))
    echo "from an empty folder to the first result, with pip install: $((seconds / 10)).$((seconds % 10)) s"
    [ $((seconds / 10)) -lt $most_seconds ] || { echo "test_release.sh: that is more than $most_seconds s" >&2; exit 1; }
    # The module, and the server, which an ordinary build from source leaves out.
    (cd "$work/in-$tag" && "$work/env-$tag/bin/python" -c "$module_check")
    said=$("$work/env-$tag/bin/nearkin" serve "$work/nowhere" 2>&1) || true
    [[ $said != *"built without"* ]] || { echo "test_release.sh: this wheel has no server" >&2; exit 1; }
    rm -rf "$work/env-$tag"
  done

  # A system without any of the libraries.
  say "a wheel on Debian 13, which has none of the libraries"
  wheel=$(echo "$dist"/nearkin-*-cp313-manylinux*_"$machine".whl)
  [ -f "$wheel" ] || { skip "the wheel on Debian 13: its Python is 3.13, and there is no such wheel"; return; }
  enter trixie python3-venv || { skip "the wheel on Debian 13: debootstrap, root and the network are needed"; return; }
  mkdir -p "$work/numpy"
  python3 -m pip --disable-pip-version-check download -q --no-deps --only-binary :all: --python-version 3.13 --platform manylinux_2_28_"$machine" \
    --platform manylinux_2_17_"$machine" -d "$work/numpy" 'numpy>=1.23' || { skip "the wheel on Debian 13: no NumPy from the Python package registry"; leave; return; }
  bring "$wheel" "$work"/numpy/*.whl
  inside 'python3 -m venv env && env/bin/pip install -q --no-index --find-links . nearkin && PATH=/tmp/try/env/bin:$PATH sh first_use.sh'
  inside "env/bin/python -c 'import nearkin; print(\"import nearkin:\", nearkin.__version__)' && env/bin/python -VV && ! ls /usr/lib/*/libsimdjson* 2>/dev/null"
  echo "glibc $(glibc)"
  leave

  # Debian 11 has an older Python. The dynamic linker alone can tell whether the module finds all it wants, but for Python's own names.
  say "the module with the C library of Debian 11"
  enter bullseye || { skip "the module on Debian 11: debootstrap, root and the network are needed"; return; }
  bring
  for wheel in "$dist"/nearkin-*-manylinux*_"$machine".whl; do python3 -m zipfile -e "$wheel" "$system/tmp/try/$(basename "$wheel" .whl)"; done
  if inside 'ldd -r */nearkin/_core*.so 2>&1' | grep -v '_\?Py[A-Z_]' | grep 'undefined\|not found\|No such'; then
    echo "test_release.sh: the module does not run with glibc $(glibc)" >&2
    exit 1
  fi
  echo "ldd -r with glibc $(glibc): every name is found, but for those of Python"
  leave
}

try_tarball() {
  local suite name=nearkin-$version-linux-$machine
  [ -f "$dist/$name.tar.xz" ] || { skip "the tarball: it was not made"; return; }
  for suite in bullseye bookworm trixie; do
    say "$name.tar.xz on $suite"
    enter "$suite" "$([ $suite != trixie ] || echo python3-venv)" || { skip "the tarball on $suite: debootstrap, root and the network are needed"; continue; }
    bring
    tar -xJf "$dist/$name.tar.xz" -C "$system/tmp/try"
    inside "PATH=/tmp/try/$name/bin:\$PATH sh first_use.sh && $name/bin/nearkin --version && printf 'caf\\351 au lait\\n' > l.txt && $name/bin/nearkin pairs l.txt --encoding latin1 --quiet"
    # Over HTTP, too.
    inside "$name/bin/nearkin index create d.nearkin docs.jsonl --quiet && { $name/bin/nearkin serve d.nearkin --listen 127.0.0.1:0 2>log & } && sleep 2 && kill \$! && wait \$! && grep -q 'serving d.nearkin' log"
    echo "glibc $(glibc), $(inside '. /etc/os-release; echo $PRETTY_NAME')"
    leave
  done
}

# The program of the other machine, emulated, with the C library of Debian 11 and nothing else.
try_aarch64() {
  local name=nearkin-$version-linux-aarch64 libraries=$systems/aarch64/glibc
  [ -f "$dist/$name.tar.xz" ] || { skip "aarch64: no tarball; scripts/release.sh --machine aarch64 makes it"; return; }
  say "$name.tar.xz, emulated"
  [ -d "$libraries" ] && command -v qemu-aarch64-static >/dev/null || { skip "aarch64: qemu-user-static is needed, and what scripts/release.sh left"; return; }
  tar -xJf "$dist/$name.tar.xz" -C "$work"
  mkdir -p "$work/emulated" "$work/in-aarch64"
  printf '#!/bin/sh\nexec qemu-aarch64-static -L "%s" "%s" "$@"\n' "$libraries" "$work/$name/bin/nearkin" >"$work/emulated/nearkin"
  chmod +x "$work/emulated/nearkin"
  (cd "$work/in-aarch64" && PATH="$work/emulated:$PATH" sh "$work/first_use.sh" && "$work/emulated/nearkin" --version)
  try_aarch64_wheel
}

# With Debian 12's Python for that machine, and NumPy's wheel for it.
try_aarch64_wheel() {
  local wheel python=$systems/aarch64/python
  wheel=$(echo "$dist"/nearkin-*-cp311-manylinux*_aarch64.whl)
  say "$(basename "$wheel"), emulated"
  [ -f "$wheel" ] || { skip "the wheel for aarch64: there is none for Python 3.11, which is Debian 12's"; return; }
  scripts/debian_packages.sh arm64 bookworm "$python" python3.11-minimal libpython3.11-stdlib libstdc++6 ||
    { skip "the wheel for aarch64: Debian's packages cannot be reached"; return; }
  python3 -m pip --disable-pip-version-check download -q --no-deps --only-binary :all: --python-version 3.11 --platform manylinux_2_28_aarch64 \
    --platform manylinux_2_17_aarch64 -d "$work/numpy-aarch64" 'numpy>=1.23' || { skip "the wheel for aarch64: no NumPy from the Python package registry"; return; }
  python3 -m zipfile -e "$work"/numpy-aarch64/*.whl "$work/site-aarch64"
  python3 -m zipfile -e "$wheel" "$work/site-aarch64"
  qemu-aarch64-static -L "$python" -E PYTHONPATH="$work/site-aarch64" "$python/usr/bin/python3.11" -c "$module_check
import platform
print(platform.machine())"
}

try_deb() {
  local deb
  deb=$(echo "$dist"/nearkin_"$version"-*.deb)
  say "$(basename "$deb") and libnearkin-dev on Debian 12"
  [ -f "$deb" ] || { skip "the Debian packages: they were not made"; return; }
  enter bookworm || { skip "the Debian packages: debootstrap, root and the network are needed"; return; }
  # In a copy: the system must be empty for the others.
  cp -a "$system" "$work/system"
  system=$work/system
  bring "$dist"/*.deb tests/install/outside.cc
  mkdir -p "$system/etc/apt/apt.conf.d"
  cp /etc/resolv.conf "$system/etc/resolv.conf"
  apt-config dump 2>/dev/null | grep -i '^Acquire::[a-z]*::proxy ' >"$system/etc/apt/apt.conf.d/99proxy" || true
  inside 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends ./nearkin_*.deb >apt.log 2>&1 || { tail apt.log; exit 1; }' ||
    { skip "the Debian packages: Debian's packages cannot be reached from the empty system"; leave; return; }
  inside 'sh first_use.sh && nearkin --version && ls /usr/share/bash-completion/completions/nearkin /usr/share/man/man1/nearkin-dedup.1.gz'
  inside 'DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends ./libnearkin-dev_*.deb g++ >apt.log 2>&1 || { tail apt.log; exit 1; }
    g++ -std=c++20 outside.cc -o outside $(pkg-config --cflags --libs nearkin) && ./outside'
  inside 'apt-get -qq purge -y nearkin libnearkin-dev >apt.log 2>&1; ! find /usr -name "*nearkin*" | grep .'
  echo "removed without a trace"
  leave
}

try_sdist() {
  local begin seconds
  say "nearkin-$version.tar.gz, from source"
  [ -f "$dist/nearkin-$version.tar.gz" ] || { skip "the sdist: it was not made"; return; }
  scripts/setup.sh
  python3 -m venv "$work/env-source"
  echo "load before: $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores"
  begin=$SECONDS
  # A compiler cache would hide what it costs.
  CCACHE_DISABLE=1 CMAKE_BUILD_PARALLEL_LEVEL=2 "$work/env-source/bin/python" -m pip --disable-pip-version-check install -q "$dist/nearkin-$version.tar.gz"
  seconds=$((SECONDS - begin))
  mkdir "$work/in-source"
  (cd "$work/in-source" && PATH="$work/env-source/bin:$PATH" sh "$work/first_use.sh")
  echo "pip install from source: $((seconds / 60)) min $((seconds % 60)) s; load after: $(cut -d' ' -f1-3 /proc/loadavg)"
}

for part in "${parts[@]}"; do
  case "$part" in
    sums | wheels | tarball | aarch64 | deb | sdist) "try_$part" ;;
    *) echo "test_release.sh: $part is not sums, wheels, tarball, aarch64, deb or sdist" >&2; exit 2 ;;
  esac
done
[ ${#skipped[@]} -eq 0 ] || printf 'skipped: %s\n' "${skipped[@]}"
echo "release: what was tried works"
