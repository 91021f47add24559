# Installs the training tree for other projects: cmake --install BUILD --component train [--prefix
# PREFIX]. find_package(senet COMPONENTS train) finds it; tools/examples/train_own_game uses it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One archive of everything a run needs, from the same objects as the project's programs.
set(parts senet_games senet_kits senet_nn_core senet_nn senet_lanes senet_selfplay senet_train_bridge)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
add_library(senet_train STATIC ${objects})
set_target_properties(senet_train PROPERTIES LINKER_LANGUAGE CXX)
install(FILES $<TARGET_FILE:senet_train> DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT train)

# Headers keep their paths in the repository, because they include each other by these paths.
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/senet-train)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/games/include/senet include/senet DESTINATION ${headers} COMPONENT train)
senet_games(games)
foreach(game ${games})
  install(FILES ${PROJECT_BINARY_DIR}/made/games/list/${game}.hpp DESTINATION ${headers}/games/list COMPONENT train)
endforeach()
foreach(folder games nn search engine/lanes selfplay train_bridge)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${headers}/${folder} COMPONENT train
    FILES_MATCHING PATTERN "*.hpp" PATTERN include EXCLUDE)
endforeach()

set(senet_train_needs
  Threads::Threads Boost::fiber Boost::context absl::function_ref fmt::fmt DNNL::dnnl OpenMP::OpenMP_CXX
  PkgConfig::senet_train ${CMAKE_DL_LIBS})
if(TARGET senet_cuda)  # found at run time through the run path of the program
  install(FILES $<TARGET_FILE:senet_cuda> DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT train)
  list(APPEND senet_train_needs "-Wl,-rpath,\${senet_train_libraries}")
endif()
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/senet)
configure_package_config_file(senet-train.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/senet-train.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/senet-train.cmake DESTINATION ${package} COMPONENT train)
# The package's own files: those of libsenet, which may or may not be installed in the same prefix.
foreach(file senetConfig.cmake senetConfigVersion.cmake)
  install(FILES ${PROJECT_BINARY_DIR}/engine/${file} DESTINATION ${package} COMPONENT train)
endforeach()
