# Puts files into a program, when it is built. This file is both the function and the script that
# it runs.
cmake_policy(VERSION 3.21)

# Makes `header`, before `target` is built: each file is a string in it; a *.lua is a core::Script.
# Files joined by "|" become one string.
#   embed_files(TARGET HEADER NAMESPACE [NAME=file[|file...]]...)
function(embed_files target header namespace)
  set(files ${ARGN})
  list(TRANSFORM files REPLACE "^[^=]+=" "")
  string(REPLACE "|" ";" files "${files}")
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DNAMESPACE=${namespace} "-DENTRIES=${ARGN}"
      -P ${script}
    DEPENDS ${script} ${files} VERBATIM)
  # A target of its own, or it would wait for all that `target` is linked with.
  add_custom_target(${target}_files DEPENDS ${header})
  add_dependencies(${target} ${target}_files)
endfunction()

# Makes `header` of scripts, each under its file's name, in the namespace of `stage`: stageN for our
# stages, otherwise its whole name. Of two scripts of one name the first counts.
#   embed_scripts(TARGET STAGE HEADER [file.lua...])
function(embed_scripts target stage header)
  set(names "")
  set(entries "")
  foreach(script IN LISTS ARGN)
    cmake_path(GET script STEM name)
    if(NOT name IN_LIST names)
      list(APPEND names ${name})
      list(APPEND entries ${name}=${script})
    endif()
  endforeach()
  string(REGEX REPLACE "^(stage[0-9]+)_.*" "\\1" namespace ${stage})
  embed_files(${target} ${header} ${namespace}::scripts ${entries})
endfunction()

# Sets `result` to the C++ of one entry, NAME=file[|file...].
function(code_of entry result)
  string(REGEX MATCH "^([^=]+)=(.+)$" entry "${entry}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "|" ";" files "${CMAKE_MATCH_2}")
  set(text "")
  foreach(file IN LISTS files)
    file(READ "${file}" content)
    string(APPEND text "R\"embedded(${content})embedded\"\n")
  endforeach()
  if(NOT files MATCHES "[.]lua$")
    set(${result} "\ninline constexpr std::string_view ${name} = ${text};\n" PARENT_SCOPE)
    return()
  endif()
  cmake_path(GET files FILENAME file)
  file(SHA1 "${files}" sha1)
  string(CONCAT code "\ninline constexpr core::Script ${name}{\n    .name = \"${file}\",\n"
                     "    .sha1 = \"${sha1}\",\n    .text = ${text}};\n")
  set(${result} "${code}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(code "// Made by CMake; do not edit.\n#pragma once\n\n")
  if(NOT ENTRIES)
    string(APPEND code "#error \"it is made from *.lua: there is none\"\n")
  elseif(ENTRIES MATCHES "[.]lua")
    string(APPEND code "#include \"core/redis/script.h\"\n\n")
  else()
    string(APPEND code "#include <string_view>\n\n")
  endif()
  string(APPEND code "namespace ${NAMESPACE} {\n")
  foreach(entry IN LISTS ENTRIES)
    code_of("${entry}" text)
    string(APPEND code "${text}")
  endforeach()
  file(WRITE "${HEADER}" "${code}\n}  // namespace ${NAMESPACE}\n")
endif()
