# The headers that tests include, compiled once.
add_library(lab_test_headers OBJECT ${CMAKE_SOURCE_DIR}/faults/testing/test_headers.cpp)
target_link_libraries(lab_test_headers PRIVATE lab_testing)
target_precompile_headers(lab_test_headers PRIVATE
  ${CMAKE_SOURCE_DIR}/faults/testing/test_headers.h)

# Adds the GoogleTest tests of a program: one ctest entry each, with a timeout and labels; with a
# sanitizer several tests share one entry (below).
#   add_lab_test(NAME LABELS label... [FIRST] [FILTER pattern] [ENVIRONMENT var=value...])
# ctest starts the tests marked FIRST before all others, and those in mixed order: some wait and
# some compute, and one kind after the other would leave the processors idle, then overload them.
function(add_lab_test target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FIRST" "FILTER" "LABELS;ENVIRONMENT")
  if("${arg_FILTER}" STREQUAL "")
    set(arg_FILTER "*")
  endif()
  set(extra_cost 0)
  if(arg_FIRST)
    set(extra_cost 1000)
  endif()
  target_precompile_headers(${target} REUSE_FROM lab_test_headers)
  if(LAB_SANITIZE)
    add_shares(6)
    return()
  endif()
  string(MAKE_C_IDENTIFIER "${target}_${arg_FILTER}" tests)
  gtest_discover_tests(${target} TEST_FILTER "${arg_FILTER}" TEST_LIST ${tests}
                       DISCOVERY_TIMEOUT 300)
  # Set when ctest reads the tests, since PROPERTIES above would split a list of labels. ctest
  # orders by a COST that is set, instead of by its own measurements.
  set(properties ${CMAKE_CURRENT_BINARY_DIR}/${tests}.cmake)
  file(CONFIGURE OUTPUT ${properties} @ONLY CONTENT [[
foreach(test IN LISTS @tests@)
  string(SHA1 place "${test}")
  string(SUBSTRING ${place} 0 2 place)
  math(EXPR cost "0x${place} + 1 + @extra_cost@")
  set_tests_properties("${test}" PROPERTIES COST ${cost}
    TIMEOUT 900 LABELS "@arg_LABELS@" ENVIRONMENT "@arg_ENVIRONMENT@")
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties})
endfunction()

# With a sanitizer a program takes longer to start than most of its tests take to run. So all tests
# of one call of add_lab_test, whose variables this macro uses, share `count` entries.
# (https://google.github.io/googletest/advanced.html#distributing-test-functions-to-multiple-machines)
macro(add_shares count)
  list(GET arg_LABELS -1 kind)
  foreach(share RANGE 1 ${count})
    set(name ${target}.${kind}.${share})
    math(EXPR index "${share} - 1")
    math(EXPR cost "${share} + ${extra_cost}")
    add_test(NAME ${name} COMMAND ${target} "--gtest_filter=${arg_FILTER}")
    set_property(TEST ${name} PROPERTY LABELS ${arg_LABELS})
    set_property(TEST ${name} PROPERTY ENVIRONMENT
      GTEST_TOTAL_SHARDS=${count} GTEST_SHARD_INDEX=${index} ${arg_ENVIRONMENT})
    set_property(TEST ${name} PROPERTY COST ${cost})
    set_property(TEST ${name} PROPERTY TIMEOUT 900)
  endforeach()
endmacro()
