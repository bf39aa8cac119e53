# The compiler options of everything here. Warnings are errors.
add_library(lab_options INTERFACE)
target_include_directories(lab_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(lab_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
  # Designated initializers may leave members to their defaults.
  -Wno-missing-field-initializers
  # The report embeds its script as one string.
  -Wno-overlength-strings)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Without optimization GCC 12 gives false warnings in <stop_token>, <regex> and Asio.
  target_compile_options(lab_options INTERFACE $<$<NOT:$<CONFIG:Release>>:-Wno-maybe-uninitialized>)
  # A tenth of the compile time went into collecting garbage, in files that need it all to the end.
  target_compile_options(lab_options INTERFACE "SHELL:--param ggc-min-heapsize=800000")
else()
  # Clang warns inside std::stable_sort of the standard library.
  target_compile_options(lab_options INTERFACE -Wno-deprecated-declarations)
endif()

# The directories of sources and programs, for the programs that need them.
add_library(lab_places INTERFACE)
target_compile_definitions(lab_places INTERFACE
  LAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
  LAB_BINARY_DIR="${CMAKE_BINARY_DIR}")

set(LAB_SANITIZE "" CACHE STRING "sanitizers to build with, such as address,undefined or thread")
if(LAB_SANITIZE)
  add_compile_options(-fsanitize=${LAB_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC warns of Asio's fences, which our threads do not rely on alone; and of <regex>.
    add_compile_options(-Wno-tsan -Wno-mismatched-new-delete)
  endif()
  # Without position-independent executables: each of UBSan's checks has pointers in its data, a
  # million in a test program, and a loader that relocates them takes longer than most tests.
  add_link_options(-fsanitize=${LAB_SANITIZE}
                   $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()

# Compiles `target` as for production, for benchmarks. In the default build everything else is
# compiled as fast as possible (see CMakePresets.json): a newcomer waits for it.
function(measured target)
  if(NOT LAB_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O2>)
  endif()
endfunction()
