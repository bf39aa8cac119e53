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
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LAB_SANITIZE})
endif()

# Tests by GoogleTest: one ctest entry each, with a timeout and labels.
#   add_lab_test(NAME LABELS label... [FILTER pattern] [ENVIRONMENT var=value...])
function(add_lab_test target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILTER" "LABELS;ENVIRONMENT")
  set(list ${target}_${arg_FILTER})
  string(MAKE_C_IDENTIFIER "${list}" list)
  gtest_discover_tests(${target}
    TEST_FILTER "${arg_FILTER}"
    TEST_LIST ${list}
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 120)
  # Set afterwards: PROPERTIES above cannot take a property that is itself a list.
  set(properties ${CMAKE_CURRENT_BINARY_DIR}/${list}_properties.cmake)
  file(CONFIGURE OUTPUT ${properties} @ONLY CONTENT "if(${list})
  set_tests_properties(\${${list}} PROPERTIES
    LABELS \"@arg_LABELS@\" ENVIRONMENT \"@arg_ENVIRONMENT@\")
endif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties})
endfunction()
