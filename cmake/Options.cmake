# How everything here is compiled. Warnings are errors.
add_library(lab_options INTERFACE)
target_include_directories(lab_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(lab_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
  # Designated initializers may leave members to their defaults.
  -Wno-missing-field-initializers)

# Where sources and programs are, for the programs that need to know.
add_library(lab_places INTERFACE)
target_compile_definitions(lab_places INTERFACE
  LAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
  LAB_BINARY_DIR="${CMAKE_BINARY_DIR}")

set(LAB_SANITIZE "" CACHE STRING "sanitizers to build with, such as address,undefined or thread")
if(LAB_SANITIZE)
  add_compile_options(-fsanitize=${LAB_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all
                      # Of Asio's fences, which are not the only thing that orders our threads.
                      -Wno-tsan
                      # Under sanitizers GCC 12 warns of what is not so, inside <regex> and Asio.
                      -Wno-maybe-uninitialized -Wno-mismatched-new-delete)
  # At addresses that the linker knows: each of UBSan's checks has pointers in its data, a million in
  # a test program, and a loader that has to write them takes longer than most tests.
  add_link_options(-fsanitize=${LAB_SANITIZE} -no-pie)
endif()

# For what only tests. With -O2 matchers take up to twice as long to compile as with -O0, and with -O0
# each of more than a thousand processes takes longer to start. Under a sanitizer, where the compiler
# takes longest, that does not count.
function(only_tests target)
  if(LAB_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# Tests by GoogleTest: one ctest entry each, with a timeout and labels.
#   add_lab_test(NAME LABELS label... [FIRST] [FILTER pattern] [ENVIRONMENT var=value...])
# ctest starts those that are said to be FIRST before all others, whose order is mixed: some wait and
# some compute, and one kind after the other would leave the processors idle, then overload them.
function(add_lab_test target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FIRST" "FILTER" "LABELS;ENVIRONMENT")
  only_tests(${target})
  string(MAKE_C_IDENTIFIER "${target}_${arg_FILTER}" tests)
  gtest_discover_tests(${target} TEST_FILTER "${arg_FILTER}" TEST_LIST ${tests}
                       DISCOVERY_TIMEOUT 60)
  # Set when ctest reads the tests, since PROPERTIES above would take a list of labels apart. By a
  # COST that is set ctest goes, and not by what it has measured.
  set(extra_cost 0)
  if(arg_FIRST)
    set(extra_cost 1000)
  endif()
  set(properties ${CMAKE_CURRENT_BINARY_DIR}/${tests}.cmake)
  file(CONFIGURE OUTPUT ${properties} @ONLY CONTENT [[
foreach(test IN LISTS @tests@)
  string(SHA1 place "${test}")
  string(SUBSTRING ${place} 0 2 place)
  math(EXPR cost "0x${place} + 1 + @extra_cost@")
  set_tests_properties("${test}" PROPERTIES COST ${cost}
    TIMEOUT 300 LABELS "@arg_LABELS@" ENVIRONMENT "@arg_ENVIRONMENT@")
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties})
endfunction()
