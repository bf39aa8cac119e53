# What a lock of a learner is built from. Also used by working_copy/CMakeLists.txt.

# How all of it is compiled. What reads an empty std::optional, or past the end of a vector, ends
# there, and not somewhere later or never.
function(somebody_waits_for target)
  target_compile_options(${target} PRIVATE -O0)
  target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
endfunction()

# The client program `target` of the lock in `directory`, from the sources in ARGN. Its scripts are
# embedded as mine::scripts.
function(add_exercise_client target directory)
  add_executable(${target} ${ARGN})
  somebody_waits_for(${target})
  target_include_directories(${target} BEFORE PRIVATE ${directory})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${target}.generated)
  embed_scripts(mine ${directory} ${generated}/scripts.h)
  target_include_directories(${target} PRIVATE ${generated})
endfunction()
