# libsenet for other projects: cmake --install BUILD --component libsenet [--prefix PREFIX]. Found by
# find_package(senet) and by pkg-config; add_subdirectory() needs no installation.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(FILES include/senet/senet.h include/senet/senet.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/senet COMPONENT libsenet)
install(FILES $<TARGET_FILE:libsenet> DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libsenet)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/senet)
configure_package_config_file(senetConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/senetConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/senetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/senetConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/senetConfigVersion.cmake
  DESTINATION ${package} COMPONENT libsenet)

configure_file(senet.pc.in ${CMAKE_CURRENT_BINARY_DIR}/senet.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/senet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libsenet)
