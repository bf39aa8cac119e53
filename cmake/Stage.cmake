# One stage: its lock as a library, its client program, its tests, its wrong turns.
#   add_stage(NAME [SOURCES more.cpp...] [TESTS more_test.cpp...] [STAGES earlier...])
function(add_stage name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;TESTS;STAGES")
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.lua)
  add_stage_parts(${name} "${arg_SOURCES}" "${arg_STAGES}" ${scripts})
  add_library(${name} STATIC lock.cpp)
  measured(${name})
  target_link_libraries(${name} PUBLIC ${name}_parts)
  set_target_properties(${name} PROPERTIES LAB_SCRIPTS "${scripts}" LAB_PARTS "${arg_SOURCES}"
                                             LAB_EARLIER "${arg_STAGES}")
  if(LAB_LIBRARY_ONLY)
    return()
  endif()

  add_executable(${name}_client client.cpp)
  target_link_libraries(${name}_client PRIVATE ${name} lab_client)
  target_precompile_headers(${name}_client REUSE_FROM lab_client_headers)
  add_dependencies(stage_clients ${name}_client)
  add_stage_test(${name} ${arg_TESTS})
  add_wrong_turns(${name})
endfunction()

# The sources around the lock, and its scripts, are a library of their own: a learner's lock, or one
# with a mistake, is linked with that, and not with ours.
function(add_stage_parts name sources stages)
  if(sources)
    set(kind PUBLIC)
    add_library(${name}_parts STATIC ${sources})
    measured(${name}_parts)
    # A source that a wrong turn or a variant replaces is a separate object in the library: where
    # that version is linked, ours is left out.
    file(GLOB replaced CONFIGURE_DEPENDS wrong_turns/*/*.cpp variants/*/*.cpp)
    list(TRANSFORM replaced REPLACE ".*/" "")
    set_property(SOURCE ${replaced} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  else()
    set(kind INTERFACE)
    add_library(${name}_parts INTERFACE)
  endif()
  set(generated ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name}_parts ${kind} ${stages} lab_core)
  target_include_directories(${name}_parts ${kind} $<BUILD_INTERFACE:${generated}>)
  if(ARGN)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}
               OUTPUT_VARIABLE room)
    embed_scripts(${name}_parts ${name} ${generated}/${room}/scripts.h ${ARGN})
  endif()
endfunction()

# The tests of a stage, in test.cpp and the files that are named.
function(add_stage_test name)
  set(test ${name}_test)
  add_executable(${test} test.cpp ${ARGN})
  # Each further test file has its own constants, with the same names as in test.cpp.
  set_property(SOURCE ${ARGN} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${test} PRIVATE ${name} lab_declared_tests lab_contract)
  add_dependencies(${test} ${name}_client)
  target_compile_definitions(${test} PRIVATE
    STAGE_DIRECTORY="${CMAKE_CURRENT_SOURCE_DIR}"
    STAGE_CLIENT="$<TARGET_FILE:${name}_client>")
  # The names of the tests come from there.
  set_property(TARGET ${test} PROPERTY LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/declared.json)

  string(REGEX REPLACE "^(stage[0-9]+)_.*" "\\1" number ${name})
  set(as_declared ENVIRONMENT LAB_AS_DECLARED=1)
  add_lab_test(${test} LABELS ${number} unit SHARES 6 FILTER "*-*.Breaks*:*.Survives*:*Long.*")
  add_lab_test(${test} LABELS ${number} long FILTER "*Long.*" ${as_declared})
  add_lab_test(${test} LABELS ${number} survives SHARES 6
               FILTER "*.Survives*-*WrongTurn*:*Long.*" ${as_declared})
  add_lab_test(${test} LABELS ${number} reproduces SHARES 3
               FILTER "*.Breaks*-*WrongTurn*:*Long.*" ${as_declared})
  add_lab_test(${test} LABELS ${number} wrong_turn FILTER "*WrongTurn*" ${as_declared})
endfunction()
