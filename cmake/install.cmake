# Components: program (the command, its man pages and completions), development (the library, headers, CMake and pkg-config files), and
# python (python/CMakeLists.txt).
include(CMakePackageConfigHelpers)

install(TARGETS nearkin EXPORT nearkin-targets COMPONENT development)
install(DIRECTORY include/nearkin TYPE INCLUDE COMPONENT development)
install(EXPORT nearkin-targets NAMESPACE nearkin:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nearkin COMPONENT development)
if(NEARKIN_BUILD_CLI)
  install(TARGETS nearkin_cli COMPONENT program)
  # The program writes its own man pages and completions, where it can run.
  if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    install(SCRIPT cmake/install_pages.cmake COMPONENT program)
    install(CODE "nearkin_install_pages(\"${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:nearkin_cli>\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}\")"
      COMPONENT program)
  endif()
endif()

configure_package_config_file(cmake/nearkin-config.cmake.in nearkin-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nearkin)
write_basic_package_version_file(nearkin-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nearkin-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/nearkin-config-version.cmake
  cmake/dependencies.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nearkin COMPONENT development)

# The prefix is found from where the file lies, so that `cmake --install --prefix` may choose another than the one configured.
file(RELATIVE_PATH nearkin_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/nearkin.pc.in nearkin.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nearkin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
