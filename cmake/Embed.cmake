# Makes a header of files, each a string literal:
#   cmake -DOUT=header -DNAMESPACE=a::b "-DFILES=name=file;name=file|file" -P Embed.cmake
# Files joined by "|" become one string.
set(code "// Made by CMake; do not edit.\n#pragma once\n\n#include <string_view>\n\n")
string(APPEND code "namespace ${NAMESPACE} {\n")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]+)=(.+)$" entry "${entry}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "|" ";" files "${CMAKE_MATCH_2}")
  string(APPEND code "\ninline constexpr std::string_view ${name} = ")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    string(APPEND code "R\"embedded(${text})embedded\"\n")
  endforeach()
  string(APPEND code ";\n")
endforeach()
string(APPEND code "\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${code}")
