# Every wrong turn of a stage, and every variant: a directory in <stage>/wrong_turns/, or in
# <stage>/variants/, with only the files that differ from the stage's. Together with the stage's
# other files they make a client of their own: <stage>_<wrong turn>_client. Its scripts are embedded
# like the stage's.
#   add_wrong_turns(STAGE [SOURCES more.cpp...] [STAGES earlier...])
function(add_wrong_turns stage)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;STAGES")
  file(GLOB turns CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/wrong_turns/*/declared.json
       ${CMAKE_CURRENT_SOURCE_DIR}/variants/*/declared.json)
  foreach(declaration IN LISTS turns)
    cmake_path(GET declaration PARENT_PATH directory)
    cmake_path(GET directory FILENAME turn)
    set(root ${CMAKE_BINARY_DIR}/wrong_turns/${stage}/${turn})
    lay_over(${stage} ${directory} ${root}/${stage})

    set(client ${stage}_${turn}_client)
    add_executable(${client} ${root}/${stage}/client.cpp)
    target_precompile_headers(${client} REUSE_FROM lab_client_headers)
    file(GLOB own RELATIVE ${directory} ${directory}/*.h ${directory}/*.cpp ${directory}/*.lua)
    list(REMOVE_ITEM own client.cpp)
    if(own)
      list(TRANSFORM arg_SOURCES PREPEND ${root}/${stage}/ OUTPUT_VARIABLE more)
      target_sources(${client} PRIVATE ${root}/${stage}/lock.cpp ${more})
      # Before all other directories: "<stage>/lock.h" is the wrong turn's.
      target_include_directories(${client} BEFORE PRIVATE ${root} ${root}.generated)
      target_link_libraries(${client} PRIVATE ${arg_STAGES} lab_client lab_core lab_options)
      embed_scripts(${stage} ${root}/${stage} ${root}.generated/${stage}/scripts.h)
    else()  # only the client differs: the lock is the stage's
      target_link_libraries(${client} PRIVATE ${stage} lab_client)
    endif()

    # A scenario runs both, and looks for one beside the other.
    add_dependencies(${stage}_client ${client})
    set_property(TARGET ${stage}_test APPEND PROPERTY LINK_DEPENDS ${declaration})
  endforeach()
endfunction()

# Makes `result` a directory of links: to the wrong turn's files, and to the stage's other files.
# Links, so that a change to either is built at once.
function(lay_over stage wrong_turn result)
  file(REMOVE_RECURSE ${result})
  file(MAKE_DIRECTORY ${result})
  foreach(from ${CMAKE_CURRENT_SOURCE_DIR} ${wrong_turn})
    file(GLOB files CONFIGURE_DEPENDS ${from}/*.h ${from}/*.cpp ${from}/*.lua)
    list(FILTER files EXCLUDE REGEX "test\\.cpp$")
    foreach(file IN LISTS files)
      cmake_path(GET file FILENAME name)
      file(CREATE_LINK ${file} ${result}/${name} SYMBOLIC)
    endforeach()
  endforeach()
endfunction()
