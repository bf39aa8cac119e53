# One stage: its lock as a library, its client program, its tests.
#   add_stage(NAME [SOURCES more.cpp...] [STAGES earlier...])
function(add_stage name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;STAGES")
  add_library(${name} STATIC lock.cpp ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_STAGES})
  target_link_libraries(${name} PUBLIC lab_core lab_options)
  embed_scripts(${name})

  add_executable(${name}_client client.cpp)
  target_link_libraries(${name}_client PRIVATE ${name} lab_client)

  add_executable(${name}_test test.cpp)
  target_link_libraries(${name}_test PRIVATE ${name} lab_claims lab_contract)
  add_dependencies(${name}_test ${name}_client)
  target_compile_definitions(${name}_test PRIVATE
    STAGE_DIRECTORY="${CMAKE_CURRENT_SOURCE_DIR}"
    STAGE_CLIENT="$<TARGET_FILE:${name}_client>")
  # The tests' names come from there.
  set_property(TARGET ${name}_test PROPERTY LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/declared.json)

  string(REGEX MATCH "^stage[0-9]" number ${name})
  add_lab_test(${name}_test LABELS ${number} unit FILTER "*-*.Breaks*:*.Survives*")
  add_lab_test(${name}_test LABELS ${number} survives FILTER "*.Survives*"
               ENVIRONMENT LAB_AS_DECLARED=1)
  add_lab_test(${name}_test LABELS ${number} reproduces FILTER "*.Breaks*"
               ENVIRONMENT LAB_AS_DECLARED=1)
endfunction()

# Makes <stage>/scripts.h from the stage's *.lua: a core::Script for each, named after its file.
function(embed_scripts name)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.lua)
  if(NOT scripts)
    return()
  endif()
  string(REGEX MATCH "^stage[0-9]" namespace ${name})
  set(header "// Made by CMake from the stage's *.lua; do not edit.\n#pragma once\n\n")
  string(APPEND header "#include \"core/script.h\"\n\nnamespace ${namespace}::scripts {\n")
  foreach(script IN LISTS scripts)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
    get_filename_component(file ${script} NAME)
    get_filename_component(variable ${script} NAME_WE)
    file(READ ${script} text)
    file(SHA1 ${script} sha1)
    string(APPEND header "\ninline constexpr core::Script ${variable}{\n    .name = \"${file}\",\n"
           "    .sha1 = \"${sha1}\",\n    .text = R\"lua(${text})lua\"};\n")
  endforeach()
  string(APPEND header "\n}  // namespace ${namespace}::scripts\n")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${name}/scripts.h CONTENT "${header}" @ONLY)
  target_include_directories(${name} PUBLIC ${CMAKE_BINARY_DIR}/generated)
endfunction()
