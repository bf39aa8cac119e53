# The headers that tests include, compiled once.
add_library(lab_test_headers OBJECT faults/testing/test_headers.cpp)
target_link_libraries(lab_test_headers PRIVATE lab_testing)
target_precompile_headers(lab_test_headers PRIVATE
  ${PROJECT_SOURCE_DIR}/faults/testing/test_headers.h)

# The tests of the locks, and of what breaks them and judges them, labelled locks: what ./lab test
# runs if it is asked for nothing else.
add_custom_target(lab_lock_tests)

# Adds the GoogleTest tests of a program, with a timeout and labels.
#   add_lab_test(NAME LABELS label... [SHARES n] [FIRST] [FILTER pattern] [ENVIRONMENT var=value...])
# Each is one ctest entry. With SHARES they are, for whoever runs all of them, n entries (labelled
# shared) with some of the tests each: a program takes longer to start, with the servers of its
# tests, than most tests take to run. Each test is there by its name as well, labelled alone.
# ctest starts the tests marked FIRST before all others.
function(add_lab_test target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FIRST" "FILTER;SHARES" "LABELS;ENVIRONMENT")
  if("${arg_FILTER}" STREQUAL "")
    set(arg_FILTER "*")
  endif()
  set(extra_cost 0)
  if(arg_FIRST)
    set(extra_cost 1000)
  endif()
  if("${arg_LABELS}" MATCHES "^(core|kit|fair_queue|stage[0-9]+)(;|$)")
    list(PREPEND arg_LABELS locks)
    add_dependencies(lab_lock_tests ${target})
  endif()
  target_precompile_headers(${target} REUSE_FROM lab_test_headers)
  if(LAB_SANITIZE)
    add_shares(6 ${target} "${arg_FILTER}" ${extra_cost} "${arg_LABELS}" "${arg_ENVIRONMENT}")
    return()
  endif()
  set(labels ${arg_LABELS})
  if(arg_SHARES)
    list(APPEND labels alone)
    add_shares(${arg_SHARES} ${target} "${arg_FILTER}" ${extra_cost} "${arg_LABELS};shared"
               "${arg_ENVIRONMENT}")
  endif()
  add_each_test(${target} "${arg_FILTER}" ${extra_cost} "${labels}" "${arg_ENVIRONMENT}")
endfunction()

# One ctest entry for each test. They run in mixed order: some wait and some compute, and one kind
# after the other would leave the processors idle, then overload them.
function(add_each_test target filter extra_cost labels environment)
  string(MAKE_C_IDENTIFIER "${target}_${filter}" tests)
  gtest_discover_tests(${target} TEST_FILTER "${filter}" TEST_LIST ${tests} DISCOVERY_TIMEOUT 300)
  # Set when ctest reads the tests, since PROPERTIES above would split a list of labels. ctest
  # orders by a COST that is set, instead of by its own measurements.
  set(timeout 600)  # for one that hangs, also on a busy machine
  if("long" IN_LIST labels)
    set(timeout 1800)
  endif()
  set(properties ${CMAKE_CURRENT_BINARY_DIR}/${tests}.cmake)
  file(CONFIGURE OUTPUT ${properties} @ONLY CONTENT [[
foreach(test IN LISTS @tests@)
  string(SHA1 place "${test}")
  string(SUBSTRING ${place} 0 2 place)
  math(EXPR cost "0x${place} + 1 + @extra_cost@")
  set_tests_properties("${test}" PROPERTIES COST ${cost}
    TIMEOUT @timeout@ LABELS "@labels@" ENVIRONMENT "@environment@")
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties})
endfunction()

# `count` entries, each with every count-th test; with a sanitizer, under which a program takes even
# longer to start, all tests are run so.
# (https://google.github.io/googletest/advanced.html#distributing-test-functions-to-multiple-machines)
function(add_shares count target filter extra_cost labels environment)
  set(kinds ${labels})
  list(REMOVE_ITEM kinds shared)
  list(GET kinds -1 kind)
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    math(EXPR share "${index} + 1")
    math(EXPR cost "${share} + 300 + ${extra_cost}")
    set(name ${target}.${kind}.${share})
    add_test(NAME ${name} COMMAND ${target} "--gtest_filter=${filter}")
    set(shard ${environment} GTEST_TOTAL_SHARDS=${count} GTEST_SHARD_INDEX=${index})
    set_tests_properties(${name} PROPERTIES COST ${cost} TIMEOUT 900 LABELS "${labels}"
                         ENVIRONMENT "${shard}")
  endforeach()
endfunction()
