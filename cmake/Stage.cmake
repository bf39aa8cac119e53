include(cmake/Scripts.cmake)
include(cmake/WrongTurn.cmake)

# One stage: its lock as a library, its client program, its tests, its wrong turns.
#   add_stage(NAME [SOURCES more.cpp...] [TESTS more_test.cpp...] [STAGES earlier...])
function(add_stage name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;TESTS;STAGES")
  # The sources around the lock are a library of their own: a learner's lock, or one with a mistake,
  # is linked with that, and not with ours.
  set(kind INTERFACE)
  if(arg_SOURCES)
    set(kind PUBLIC)
    add_library(${name}_parts STATIC ${arg_SOURCES})
    measured(${name}_parts)
    # A source that a wrong turn replaces is a separate object in the library: where the wrong turn's
    # version is linked, ours is left out.
    file(GLOB replaced CONFIGURE_DEPENDS wrong_turns/*/*.cpp)
    foreach(file IN LISTS replaced)
      cmake_path(GET file FILENAME file)
      set_property(SOURCE ${file} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
  else()
    add_library(${name}_parts INTERFACE)
  endif()
  target_link_libraries(${name}_parts ${kind} ${arg_STAGES} lab_core
                        $<BUILD_INTERFACE:lab_options>)
  target_include_directories(${name}_parts ${kind}
                             $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/generated>)
  add_library(${name} STATIC lock.cpp)
  measured(${name})
  target_link_libraries(${name} PUBLIC ${name}_parts)
  set_target_properties(${name} PROPERTIES LAB_PARTS "${arg_SOURCES}" LAB_EARLIER "${arg_STAGES}")
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR}
             OUTPUT_VARIABLE room)
  embed_scripts(${name} ${CMAKE_CURRENT_SOURCE_DIR}
                ${CMAKE_BINARY_DIR}/generated/${room}/scripts.h)
  if(LAB_LIBRARY_ONLY)
    return()
  endif()

  add_executable(${name}_client client.cpp)
  target_link_libraries(${name}_client PRIVATE ${name} lab_client)
  target_precompile_headers(${name}_client REUSE_FROM lab_client_headers)
  add_dependencies(stage_clients ${name}_client)

  add_executable(${name}_test test.cpp ${arg_TESTS})
  # Each further test file has its own constants, with the same names as in test.cpp.
  set_property(SOURCE ${arg_TESTS} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name}_test PRIVATE ${name} lab_claims lab_contract)
  add_dependencies(${name}_test ${name}_client)
  target_compile_definitions(${name}_test PRIVATE
    STAGE_DIRECTORY="${CMAKE_CURRENT_SOURCE_DIR}"
    STAGE_CLIENT="$<TARGET_FILE:${name}_client>")
  # The names of the tests come from there.
  set_property(TARGET ${name}_test PROPERTY LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/declared.json)
  add_wrong_turns(${name})

  string(REGEX REPLACE "^(stage[0-9]+)_.*" "\\1" number ${name})
  add_lab_test(${name}_test LABELS ${number} unit FILTER "*-*.Breaks*:*.Survives*:*Long.*")
  add_lab_test(${name}_test LABELS ${number} long FILTER "*Long.*" ENVIRONMENT LAB_AS_DECLARED=1)
  add_lab_test(${name}_test LABELS ${number} survives FILTER "*.Survives*-*WrongTurn*:*Long.*"
               ENVIRONMENT LAB_AS_DECLARED=1)
  add_lab_test(${name}_test LABELS ${number} reproduces FILTER "*.Breaks*-*WrongTurn*:*Long.*"
               ENVIRONMENT LAB_AS_DECLARED=1)
  add_lab_test(${name}_test LABELS ${number} wrong_turn FILTER "*WrongTurn*"
               ENVIRONMENT LAB_AS_DECLARED=1)
endfunction()
