# The libraries that nearkin stands on, found by pkg-config. Included by the build and, installed, by find_package.
# What is missing is gathered, so one message names all of it and how to install it.
set(nearkin_missing "")
set(nearkin_missing_debian "")
set(nearkin_missing_fedora "")
set(nearkin_missing_homebrew "")

# Notes that NAME is missing, with the packages that bring it.
macro(nearkin_note_missing name debian fedora homebrew)
  list(APPEND nearkin_missing "${name}")
  list(APPEND nearkin_missing_debian ${debian})
  list(APPEND nearkin_missing_fedora ${fedora})
  list(APPEND nearkin_missing_homebrew ${homebrew})
endmacro()

# PkgConfig::nearkin_TARGET is the library that pkg-config knows as MODULE.
macro(nearkin_need target module debian fedora homebrew)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(nearkin_${target} QUIET IMPORTED_TARGET ${module})
  endif()
  if(NOT nearkin_${target}_FOUND)
    nearkin_note_missing(${module} ${debian} ${fedora} ${homebrew})
  endif()
endmacro()

# Sets RESULT to the message about what is missing; empty where nothing is.
function(nearkin_missing_message result)
  set(${result} "" PARENT_SCOPE)
  if(nearkin_missing)
    list(JOIN nearkin_missing ", " names)
    list(JOIN nearkin_missing_debian " " debian)
    list(JOIN nearkin_missing_fedora " " fedora)
    list(JOIN nearkin_missing_homebrew " " homebrew)
    set(${result} "nearkin needs these, which were not found: ${names}\n  Debian, Ubuntu:  apt-get install ${debian}\n  Fedora:          dnf install ${fedora}\n  Homebrew:        brew install ${homebrew}" PARENT_SCOPE)
  endif()
endfunction()

find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
  nearkin_note_missing(pkg-config pkg-config pkgconf-pkg-config pkgconf)
endif()
nearkin_need(simdjson simdjson libsimdjson-dev simdjson-devel simdjson)
nearkin_need(zlib zlib zlib1g-dev zlib-devel zlib)
nearkin_need(zstd libzstd libzstd-dev libzstd-devel zstd)
nearkin_need(hwy libhwy libhwy-dev highway-devel highway)
nearkin_need(utf8proc libutf8proc libutf8proc-dev utf8proc-devel utf8proc)
nearkin_need(lmdb lmdb liblmdb-dev lmdb-devel lmdb)
nearkin_need(fmt fmt libfmt-dev fmt-devel fmt)
set(NEARKIN_LIBRARIES PkgConfig::nearkin_simdjson PkgConfig::nearkin_zlib PkgConfig::nearkin_zstd PkgConfig::nearkin_hwy
    PkgConfig::nearkin_utf8proc PkgConfig::nearkin_lmdb PkgConfig::nearkin_fmt Threads::Threads)
