# hiredis has no CMake package on the distributions we build on. Installed too, for
# find_package(redis_lock_lab).
find_path(HIREDIS_INCLUDE_DIR hiredis/hiredis.h REQUIRED)
find_library(HIREDIS_LIBRARY hiredis REQUIRED)
if(NOT TARGET redis_lock_lab_hiredis)
  add_library(redis_lock_lab_hiredis INTERFACE IMPORTED GLOBAL)
  target_include_directories(redis_lock_lab_hiredis SYSTEM INTERFACE ${HIREDIS_INCLUDE_DIR})
  target_link_libraries(redis_lock_lab_hiredis INTERFACE ${HIREDIS_LIBRARY})
endif()
