include(CMakePackageConfigHelpers)

install(TARGETS nearkin EXPORT nearkin-targets)
install(DIRECTORY include/nearkin TYPE INCLUDE)
install(EXPORT nearkin-targets NAMESPACE nearkin:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nearkin)
if(NEARKIN_BUILD_CLI)
  install(TARGETS nearkin_cli)
endif()

configure_package_config_file(cmake/nearkin-config.cmake.in nearkin-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nearkin)
write_basic_package_version_file(nearkin-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nearkin-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/nearkin-config-version.cmake
  cmake/dependencies.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nearkin)

# The prefix is found from where the file lies, so that `cmake --install --prefix` may choose another than the one configured.
file(RELATIVE_PATH nearkin_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/nearkin.pc.in nearkin.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nearkin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
