# The finished locks for other programs, by find_package(redis_lock_lab) or add_subdirectory. Each is
# a target of its own, such as redis_lock_lab::stage8_fencing.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package redis_lock_lab)
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/${package})
set(description ${CMAKE_INSTALL_LIBDIR}/cmake/${package})

# Gives the library `target` its `name` outside, and installs it with its parts and the headers of
# its room. The targets are in the export set `package`, or in the one that is given.
function(install_library target name room)
  if(NOT TARGET ${target})
    return()
  endif()
  add_library(${package}::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME ${package}_${name})
  set(targets ${target})
  if(TARGET ${target}_parts)
    list(APPEND targets ${target}_parts)
    set_target_properties(${target}_parts PROPERTIES EXPORT_NAME ${name}_parts
                                                     OUTPUT_NAME ${package}_${name}_parts)
  endif()
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${headers}>)
  set(export ${package} ${ARGN})
  list(GET export -1 export)
  install(TARGETS ${targets} EXPORT ${export} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  cmake_path(GET room PARENT_PATH above)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${room} DESTINATION ${headers}/${above} FILES_MATCHING PATTERN *.h
          PATTERN testing EXCLUDE PATTERN wrong_turns EXCLUDE PATTERN variants EXCLUDE)
endfunction()

install_library(lab_core core core)
foreach(lock stage4_lua_release stage5_watchdog stage6_reentrant stage7_redlock stage8_fencing)
  install_library(${lock} ${lock} ${lock})
endforeach()
install_library(fair_queue fair_queue production/fair_queue)
# A set of its own: it needs prometheus-cpp, and the locks do not.
install_library(lab_exporter exporter production/exporter ${package}-exporter)

install(EXPORT ${package} NAMESPACE ${package}:: DESTINATION ${description}
        FILE ${package}-targets.cmake)
if(TARGET lab_exporter)
  install(EXPORT ${package}-exporter NAMESPACE ${package}:: DESTINATION ${description}
          FILE ${package}-exporter-targets.cmake)
  install(FILES production/exporter/alerts.yml production/exporter/dashboard.json
          DESTINATION ${CMAKE_INSTALL_DATADIR}/${package})
endif()
configure_package_config_file(cmake/${package}-config.cmake.in
  ${PROJECT_BINARY_DIR}/${package}-config.cmake INSTALL_DESTINATION ${description})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package}-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/${package}-config.cmake
  ${PROJECT_BINARY_DIR}/${package}-config-version.cmake cmake/Hiredis.cmake
  DESTINATION ${description})
