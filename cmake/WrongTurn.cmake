# A lock with some files of a stage replaced: how wrong turns, variants, and the locks of the
# exercises are built. Its directory has only the files that differ, and comes before all others in
# the include path, as "<stage>/": everything else is the stage's.

# The client program `client` of the lock in `directory`, which replaces files of `stage`.
function(add_overlay_client client stage directory)
  get_target_property(stage_directory ${stage} SOURCE_DIR)
  set(root ${CMAKE_BINARY_DIR}/overlays/${client})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${directory} ${root}/${stage} SYMBOLIC)

  file(GLOB own_sources CONFIGURE_DEPENDS ${directory}/*.cpp)
  file(GLOB own_headers CONFIGURE_DEPENDS ${directory}/*.h)
  file(GLOB own_scripts CONFIGURE_DEPENDS ${directory}/*.lua)
  set(sources client.cpp)
  set(of_the_lock ${own_sources} ${own_headers} ${own_scripts})
  list(REMOVE_ITEM of_the_lock ${directory}/client.cpp)
  if(of_the_lock)
    list(APPEND sources lock.cpp)
    set(libraries ${stage}_parts)
  else()  # only the client differs: the lock is the stage's
    set(libraries ${stage})
  endif()
  if(own_headers)  # which any source may include
    get_target_property(parts ${stage} LAB_PARTS)
    get_target_property(libraries ${stage} LAB_EARLIER)
    list(APPEND sources ${parts})
  endif()
  foreach(source IN LISTS sources)
    if(NOT EXISTS ${directory}/${source})
      list(APPEND own_sources ${stage_directory}/${source})
    endif()
  endforeach()

  add_executable(${client} ${own_sources})
  target_precompile_headers(${client} REUSE_FROM lab_client_headers)
  target_include_directories(${client} BEFORE PRIVATE ${root} ${root}.generated)
  target_link_libraries(${client} PRIVATE ${libraries} lab_client lab_core lab_options)
  embed_scripts(${stage} "${directory};${stage_directory}" ${root}.generated/${stage}/scripts.h)
endfunction()

# Every wrong turn of a stage, and every variant: a directory in <stage>/wrong_turns/, or in
# <stage>/variants/. Each is a client of its own: <stage>_<wrong turn>_client.
function(add_wrong_turns stage)
  file(GLOB turns CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/wrong_turns/*/declared.json
       ${CMAKE_CURRENT_SOURCE_DIR}/variants/*/declared.json)
  foreach(declaration IN LISTS turns)
    cmake_path(GET declaration PARENT_PATH directory)
    cmake_path(GET directory FILENAME turn)
    set(client ${stage}_${turn}_client)
    add_overlay_client(${client} ${stage} ${directory})
    add_dependencies(relative_clients ${client})
    add_dependencies(${stage}_test ${client})
    set_property(TARGET ${stage}_test APPEND PROPERTY LINK_DEPENDS ${declaration})
  endforeach()
endfunction()
