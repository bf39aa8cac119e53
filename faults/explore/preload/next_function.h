// The functions of the C library that this library replaces.
//
// Thread-safety: a pure function.
#pragma once

#include <dlfcn.h>

namespace explore {

// The next function of that name after this library's own.
template <typename Function>
Function next_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace explore
