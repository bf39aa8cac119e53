# How everything here is compiled. Warnings are errors.
add_library(lab_options INTERFACE)
target_include_directories(lab_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(lab_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
  # Designated initializers may leave members to their defaults.
  -Wno-missing-field-initializers
  # The report carries a library as one string.
  -Wno-overlength-strings)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Where it does not optimize, GCC 12 warns of what is not so in <stop_token>, <regex> and Asio.
  target_compile_options(lab_options INTERFACE $<$<NOT:$<CONFIG:Release>>:-Wno-maybe-uninitialized>)
else()
  # Clang warns of what the standard library does inside std::stable_sort.
  target_compile_options(lab_options INTERFACE -Wno-deprecated-declarations)
endif()

# Where sources and programs are, for the programs that need to know.
add_library(lab_places INTERFACE)
target_compile_definitions(lab_places INTERFACE
  LAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
  LAB_BINARY_DIR="${CMAKE_BINARY_DIR}")

set(LAB_SANITIZE "" CACHE STRING "sanitizers to build with, such as address,undefined or thread")
if(LAB_SANITIZE)
  add_compile_options(-fsanitize=${LAB_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Of Asio's fences, which are not the only thing that orders our threads; and of <regex>.
    add_compile_options(-Wno-tsan -Wno-mismatched-new-delete)
  endif()
  # At addresses that the linker knows: each of UBSan's checks has pointers in its data, a million in
  # a test program, and a loader that has to write them takes longer than most tests.
  add_link_options(-fsanitize=${LAB_SANITIZE}
                   $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()

# For what benchmarks measure: compiled as it would be in production. In the default build all else is
# compiled with what takes the compiler least (see CMakePresets.json): a newcomer waits for it.
function(measured target)
  if(NOT LAB_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O2>)
  endif()
endfunction()

# The same, of one source in a library of which nothing else is measured.
function(measured_source source)
  if(NOT LAB_SANITIZE)
    set_property(SOURCE ${source} APPEND PROPERTY
      COMPILE_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O2>)
  endif()
endfunction()
