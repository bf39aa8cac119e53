# The language and the warnings of everything here, a learner's workspace included.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion
  # Designated initializers may leave members to their defaults.
  -Wno-missing-field-initializers
  # The report embeds its script as one string.
  -Wno-overlength-strings)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Without optimization GCC 12 gives false warnings in <stop_token>, <regex> and Asio.
  add_compile_options($<$<NOT:$<CONFIG:Release>>:-Wno-maybe-uninitialized>)
  # A tenth of the compile time went into collecting garbage, in files that need it all to the end.
  add_compile_options("SHELL:--param ggc-min-heapsize=800000")
else()
  # Clang warns inside std::stable_sort of the standard library.
  add_compile_options(-Wno-deprecated-declarations)
endif()

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

# Compiles `target` as for production also where everything else is compiled as fast as possible,
# because a newcomer waits for it (the preset `lab`).
function(measured target)
  if(NOT LAB_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Lab>:-O2>)
  endif()
endfunction()
