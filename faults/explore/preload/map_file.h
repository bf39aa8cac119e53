// Maps a file that other processes share, without the C library's `open`.
//
// Thread-safety: a pure function.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>

#include "faults/explore/preload/raw_syscall.h"

namespace explore {

// Null: it cannot be mapped.
template <typename T>
T* map_file(const char* path) {
  const auto file =
      static_cast<int>(raw_syscall(SYS_openat, AT_FDCWD, address_of(path), O_RDWR | O_CLOEXEC, 0));
  if (file < 0) return nullptr;
  void* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  (void)raw_syscall(SYS_close, file);
  return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
}

}  // namespace explore
