# Installs libsenet for other projects: cmake --install BUILD --component libsenet
# [--prefix PREFIX], and the component libsenet_shared if SENET_SHARED is on. find_package(senet)
# and pkg-config find it; add_subdirectory() needs no installation.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY host/include/senet ${PROJECT_SOURCE_DIR}/games/include/senet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libsenet)
install(FILES $<TARGET_FILE:libsenet> DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libsenet)
if(SENET_SHARED)
  install(TARGETS libsenet_shared LIBRARY
    DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libsenet_shared NAMELINK_COMPONENT libsenet_shared)
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/senet)
configure_package_config_file(host/senetConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/senetConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/senetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/senetConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/senetConfigVersion.cmake
  DESTINATION ${package} COMPONENT libsenet)

# The prefix relative to senet.pc, which may be in lib/pkgconfig, lib/x86_64-linux-gnu/pkgconfig or
# lib64/pkgconfig.
set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(SENET_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /prefix/${pkgconfig} /prefix)
  string(REGEX REPLACE "/$" "" up ${up})
  set(SENET_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(folder LIBDIR INCLUDEDIR)
  set(SENET_PC_${folder} ${CMAKE_INSTALL_${folder}})
  if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_${folder}})
    set(SENET_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
set(SENET_PC_NEEDS)
if(SENET_ONEDNN)
  set(SENET_PC_NEEDS " -ldnnl ${OpenMP_CXX_FLAGS}")
endif()
# senet: the shared library if it is installed, else the static one. senet-static: the static one.
foreach(file senet.pc senet-static.pc)
  configure_file(host/${file}.in ${CMAKE_CURRENT_BINARY_DIR}/${file} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${file} DESTINATION ${pkgconfig} COMPONENT libsenet)
endforeach()
