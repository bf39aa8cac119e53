# Our dependencies, each from the distribution's packages; `lab` has the list of packages.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED)
include(cmake/Hiredis.cmake)
if(LAB_LIBRARY_ONLY)
  return()
endif()
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
include(GoogleTest)
find_program(PATCH patch REQUIRED)

# Asio has no CMake package either.
find_path(ASIO_INCLUDE_DIR asio.hpp REQUIRED)
add_library(asio INTERFACE)
target_include_directories(asio SYSTEM INTERFACE ${ASIO_INCLUDE_DIR})
target_compile_definitions(asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED)
target_link_libraries(asio INTERFACE Threads::Threads)
# With Clang, Asio before 1.23 finds coroutines only in their place before C++20.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_definitions(asio INTERFACE ASIO_HAS_CO_AWAIT ASIO_HAS_STD_COROUTINE)
endif()

# For a page on loopback. Debian's package has a library with OpenSSL, which changes its classes;
# elsewhere the header is all there is.
find_path(HTTPLIB_INCLUDE_DIR httplib.h REQUIRED)
find_library(HTTPLIB_LIBRARY cpp-httplib)
add_library(httplib INTERFACE)
target_include_directories(httplib SYSTEM INTERFACE ${HTTPLIB_INCLUDE_DIR})
target_link_libraries(httplib INTERFACE Threads::Threads)
if(HTTPLIB_LIBRARY)
  target_link_libraries(httplib INTERFACE ${HTTPLIB_LIBRARY} OpenSSL::SSL)
  target_compile_definitions(httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT)
endif()

# Python, for a learner's lock in it and for tests: the program itself, and not a script that starts
# it, since virtual time follows one process.
find_package(Python3 COMPONENTS Interpreter)
set(python "")
if(Python3_FOUND)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
                  OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
