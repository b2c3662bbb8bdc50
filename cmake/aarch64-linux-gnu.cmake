# Cross-builds for aarch64 with Debian's g++-aarch64-linux-gnu, against the packages that scripts/aarch64_sysroot.sh unpacked. What is built
# runs under qemu-user, if that is installed (preset aarch64; scripts/test.sh --aarch64).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(NEARKIN_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-sysroot CACHE PATH "Where the arm64 packages were unpacked")
cmake_path(ABSOLUTE_PATH NEARKIN_SYSROOT NORMALIZE OUTPUT_VARIABLE nearkin_sysroot)
set(CMAKE_FIND_ROOT_PATH ${nearkin_sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${nearkin_sysroot})
set(ENV{PKG_CONFIG_LIBDIR} ${nearkin_sysroot}/usr/lib/aarch64-linux-gnu/pkgconfig:${nearkin_sysroot}/usr/share/pkgconfig)

find_program(NEARKIN_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(NEARKIN_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${NEARKIN_QEMU} -L ${nearkin_sysroot})
endif()
