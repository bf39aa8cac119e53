// What a program asks about the processor before it reads time from it.
//
// An instruction reads the processor's own clock, and no library is asked. Servers do so where
// /proc/cpuinfo says that this clock keeps its speed, and ask for CLOCK_MONOTONIC otherwise
// (https://github.com/valkey-io/valkey/pull/3103). In virtual time nobody can read that file.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "faults/explore/preload/next_function.h"
#include "faults/explore/preload/this_process.h"

namespace {

bool is_hidden(const char* path) {
  return explore::lives_in_virtual_time() && std::strcmp(path, "/proc/cpuinfo") == 0;
}

using Open = FILE* (*)(const char*, const char*);

FILE* open_unless_hidden(Open open, const char* path, const char* mode) {
  if (!is_hidden(path)) return open(path, mode);
  errno = ENOENT;
  return nullptr;
}

}  // namespace

extern "C" {

FILE* fopen(const char* path, const char* mode) {
  static const auto open = explore::next_function<Open>("fopen");
  return open_unless_hidden(open, path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  static const auto open = explore::next_function<Open>("fopen64");
  return open_unless_hidden(open, path, mode);
}

}  // extern "C"
