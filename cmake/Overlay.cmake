# A lock with some files of a stage replaced: how wrong turns, variants, and the locks of the
# exercises are built. Its directory has only the files that differ, and comes before all others in
# the include path, as "<stage>/": everything else is the stage's.

# Sets `files` to copies of those files of `original` that `difference` changes; the build makes
# them, changed, in `directory`.
function(patched_copy files difference original directory)
  file(STRINGS ${difference} names REGEX "^[+][+][+] ")
  list(TRANSFORM names REPLACE "^[+][+][+] " "")
  list(TRANSFORM names PREPEND ${original}/ OUTPUT_VARIABLE originals)
  list(TRANSFORM names PREPEND ${directory}/ OUTPUT_VARIABLE copies)
  set(copy "")
  foreach(from to IN ZIP_LISTS originals copies)
    list(APPEND copy COMMAND ${CMAKE_COMMAND} -E copy ${from} ${to})
  endforeach()
  file(GLOB_RECURSE old ${directory}/*)
  list(REMOVE_ITEM old ${copies})
  foreach(file IN LISTS old)
    file(REMOVE ${file})  # an earlier difference changed it
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${difference})
  add_custom_command(OUTPUT ${copies} ${copy}
    COMMAND ${PATCH} -s -p0 -F0 -d ${directory} -i ${difference}
    COMMENT "Changing files of ${original} as ${difference} says"
    DEPENDS ${difference} ${originals} VERBATIM)
  set(${files} ${copies} PARENT_SCOPE)
endfunction()

# Sets `sources` to those of `stage` that are compiled anew where the files `own` replace some of
# it, and `libraries` to what has the rest.
function(rest_of_stage sources libraries stage own)
  list(FILTER own EXCLUDE REGEX "/client[.]cpp$")
  set(anew client.cpp lock.cpp)
  set(rest ${stage}_parts)
  if(own MATCHES "[.]h(;|$)")  # which any source may include
    get_target_property(parts ${stage} LAB_PARTS)
    get_target_property(rest ${stage} LAB_EARLIER)
    list(APPEND anew ${parts})
  elseif(NOT own)  # only the client differs: the lock is the stage's
    set(anew client.cpp)
    set(rest ${stage})
  endif()
  set(${sources} ${anew} PARENT_SCOPE)
  set(${libraries} ${rest} PARENT_SCOPE)
endfunction()

# The client program `client` of the lock in `directory`, which replaces files of `stage`: those that
# are there, or, if the build makes them, those that are named. Then `directory` ends in "/<stage>".
#   add_overlay_client(CLIENT STAGE DIRECTORY [file...])
function(add_overlay_client client stage directory)
  set(root ${CMAKE_CURRENT_BINARY_DIR}/${client}.overlay)
  set(own ${ARGN})
  if(own)
    cmake_path(GET directory PARENT_PATH root)
    add_custom_target(${client}_copies DEPENDS ${own})  # which waits for nothing
  else()
    file(GLOB_RECURSE own CONFIGURE_DEPENDS ${directory}/*.cpp ${directory}/*.h ${directory}/*.lua)
    file(MAKE_DIRECTORY ${root})
    file(CREATE_LINK ${directory} ${root}/${stage} SYMBOLIC)
  endif()
  rest_of_stage(sources libraries ${stage} "${own}")
  string(REPLACE "${directory}/" "" replaced "${own}")
  list(REMOVE_ITEM sources ${replaced})
  get_target_property(original ${stage} SOURCE_DIR)
  list(TRANSFORM sources PREPEND ${original}/)

  add_executable(${client} ${own} ${sources})
  target_precompile_headers(${client} REUSE_FROM lab_client_headers)
  target_include_directories(${client} BEFORE PRIVATE ${root} ${root}.generated)
  target_link_libraries(${client} PRIVATE ${libraries} lab_client lab_core)
  list(FILTER own INCLUDE REGEX "[.]lua$")
  get_target_property(scripts ${stage} LAB_SCRIPTS)
  embed_scripts(${client} ${stage} ${root}.generated/${stage}/scripts.h ${own} ${scripts})
endfunction()

# Sets `files` to the sources of a variant: those of the variant in `other`, its lock.cpp as
# `difference` changes it, in `directory`.
function(changed_variant files difference other directory)
  patched_copy(lock ${difference} ${other} ${directory})
  file(GLOB rest CONFIGURE_DEPENDS ${other}/*.cpp)
  list(REMOVE_ITEM rest ${other}/lock.cpp)
  set(${files} ${lock} ${rest} PARENT_SCOPE)
endfunction()

# Every wrong turn of a stage, and every variant: a directory in <stage>/wrong_turns/, or in
# <stage>/variants/. Each is a client of its own: <stage>_<wrong turn>_client.
function(add_wrong_turns stage)
  file(GLOB turns CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/wrong_turns/*/declared.json
       ${CMAKE_CURRENT_SOURCE_DIR}/variants/*/declared.json)
  foreach(declaration IN LISTS turns)
    cmake_path(GET declaration PARENT_PATH directory)
    cmake_path(GET directory FILENAME turn)
    set(client ${stage}_${turn}_client)
    file(READ ${declaration} json)
    string(JSON original ERROR_VARIABLE none GET "${json}" variant_of)
    if(original AND NOT TARGET ${original})  # it stands on a stage that is deleted
      continue()
    endif()
    string(JSON other ERROR_VARIABLE none GET "${json}" differs_from)
    set(files "")
    if(other)
      set(difference ${directory}/lock.diff)
      cmake_path(REPLACE_FILENAME directory ${other} OUTPUT_VARIABLE other)
      set(directory ${CMAKE_CURRENT_BINARY_DIR}/${turn}/${stage})
      changed_variant(files ${difference} ${other} ${directory})
    endif()
    add_overlay_client(${client} ${stage} ${directory} ${files})
    if(original)
      target_link_libraries(${client} PRIVATE ${original})
    endif()
    add_dependencies(relative_clients ${client})
    add_dependencies(${stage}_test ${client})
    set_property(TARGET ${stage}_test APPEND PROPERTY LINK_DEPENDS ${declaration})
  endforeach()
endfunction()
