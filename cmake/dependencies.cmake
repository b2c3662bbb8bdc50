# The libraries that nearkin stands on: Debian's packages, found by pkg-config. Included by the build and, installed, by find_package.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(nearkin_simdjson REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(nearkin_zlib REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(nearkin_zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(nearkin_hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(nearkin_utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(nearkin_lmdb REQUIRED IMPORTED_TARGET lmdb)
pkg_check_modules(nearkin_fmt REQUIRED IMPORTED_TARGET fmt)
set(NEARKIN_LIBRARIES PkgConfig::nearkin_simdjson PkgConfig::nearkin_zlib PkgConfig::nearkin_zstd PkgConfig::nearkin_hwy
    PkgConfig::nearkin_utf8proc PkgConfig::nearkin_lmdb PkgConfig::nearkin_fmt Threads::Threads)
