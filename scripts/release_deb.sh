#!/usr/bin/env bash
# Makes the Debian packages nearkin and libnearkin-dev from a build that is linked with Debian's libraries.
# usage: scripts/release_deb.sh BUILD_FOLDER OUTPUT_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

tree=$1 out=$2
version=$(sed -n 's/^project(nearkin VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)-1
architecture=$(dpkg --print-architecture)
# The project has no mail address; who gives packages away names one.
maintainer="${DEBFULLNAME:-nearkin developers} <${DEBEMAIL:-nearkin@nearkin.invalid}>"
when=$(date -u -R -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}")
work=$(mktemp -d "${TMPDIR:-/tmp}/nearkin-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT

# What every package has: who may copy it, and what changed.
documents() { # ROOT PACKAGE
  local doc=$1/usr/share/doc/$2
  mkdir -p "$doc"
  cat >"$doc/copyright" <<'END'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: nearkin

Files: *
Copyright: 2026 the nearkin developers
License: Apache-2.0
 On Debian systems, the full text of the Apache License version 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
END
  printf 'nearkin (%s) unstable; urgency=medium\n\n  * See /usr/share/doc/nearkin/changelog.gz.\n\n -- %s  %s\n' "$version" "$maintainer" "$when" |
    gzip -9n >"$doc/changelog.Debian.gz"
  gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
  # Packages of the project itself, not uploads to Debian: there is no bug of Debian's that they close.
  mkdir -p "$1/usr/share/lintian/overrides"
  echo "$2: initial-upload-closes-no-bugs" >"$1/usr/share/lintian/overrides/$2"
  if [ -z "${DEBEMAIL:-}" ]; then
    printf '%s: bogus-mail-host *\n%s: bogus-mail-host-in-debian-changelog *\n' "$2" "$2" >>"$1/usr/share/lintian/overrides/$2"
  fi
}

finish() { # ROOT PACKAGE: checksums, size, modes, the package
  local root=$1
  find "$root" -type d -exec chmod 755 {} +
  find "$root" -type f ! -perm -u+x -exec chmod 644 {} +
  (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  sed -i "s/^Installed-Size:.*/Installed-Size: $(du -ks "$root/usr" | cut -f1)/" "$root/DEBIAN/control"
  find "$root" -newermt "$when" -exec touch -h -d "$when" {} +
  dpkg-deb --root-owner-group -Zxz --build "$root" "$out/$2_${version}_$architecture.deb" >/dev/null
}

root=$work/nearkin
cmake --install "$tree" --component program --prefix "$root/usr" >"$work/log" || { cat "$work/log" >&2; exit 1; }
strip --remove-section=.comment --remove-section=.note "$root/usr/bin/nearkin"
mkdir -p "$root/DEBIAN" "$root/usr/share/zsh/vendor-completions" "$root/usr/share/doc/nearkin/examples"
# Debian's zsh looks there.
mv "$root/usr/share/zsh/site-functions/_nearkin" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
gzip -9n "$root"/usr/share/man/man1/*.1
cp packaging/nearkin.service "$root/usr/share/doc/nearkin/examples/"
documents "$root" nearkin
# dpkg-shlibdeps reads the name of a source package.
mkdir -p "$work/debian"
printf 'Source: nearkin\n\nPackage: nearkin\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -e"$root/usr/bin/nearkin" 2>"$work/log" | sed -n 's/^shlibs:Depends=//p') || { cat "$work/log" >&2; exit 1; }
cat >"$root/DEBIAN/control" <<END
Package: nearkin
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: 0
Depends: $depends
Suggests: pandoc, poppler-utils
Section: text
Priority: optional
Description: find the items of a collection that are nearly the same
 nearkin lists similar pairs of texts, sets, vectors and bit strings, groups
 them, writes a collection without its extra copies, and keeps an index that
 answers over HTTP which items are like a given one.
 .
 Every pair that it reports carries its exact similarity, and every run states
 the share of similar pairs that it found.
END
finish "$root" nearkin

root=$work/libnearkin-dev
cmake --install "$tree" --component development --prefix "$root/usr" >"$work/log" || { cat "$work/log" >&2; exit 1; }
strip --strip-debug --enable-deterministic-archives "$(find "$root" -name libnearkin.a)"
mkdir -p "$root/DEBIAN"
documents "$root" libnearkin-dev
cat >"$root/DEBIAN/control" <<END
Package: libnearkin-dev
Source: nearkin
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: 0
Depends: libsimdjson-dev, zlib1g-dev, libzstd-dev, libhwy-dev, libutf8proc-dev, liblmdb-dev, libfmt-dev, pkg-config
Section: libdevel
Priority: optional
Description: find the items of a collection that are nearly the same (development)
 nearkin lists similar pairs of texts, sets, vectors and bit strings, groups
 them, and writes a collection without its extra copies.
 .
 This package has the static library, its headers, and its files for CMake and
 pkg-config.
END
finish "$root" libnearkin-dev

for package in nearkin libnearkin-dev; do
  lintian --fail-on error,warning "$out/${package}_${version}_$architecture.deb" ||
    { echo "release_deb.sh: lintian has objections to $package" >&2; exit 1; }
done
echo "lintian: nothing to object"
