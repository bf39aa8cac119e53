// Questions about processes that the kernel answers (proc(5)).
//
// Thread-safety: pure functions.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "explore/preload/page.h"

namespace explore {

// Its program's name, or "process 7" if it is gone.
[[nodiscard]] std::string name_of(pid_t process);

// Does its program have no dynamic linker, which would load the preloaded library?
[[nodiscard]] bool is_static(pid_t process);

// Has it more threads than the C library has made, which the preloaded library stands in front of?
// A program in Go makes its own.
[[nodiscard]] bool has_threads_of_its_own(const ProcessEntry& process);

// How many packets wait on this machine to be delivered, on any network. Where the kernel does not
// say so, none.
[[nodiscard]] std::size_t packets_under_way();

}  // namespace explore
