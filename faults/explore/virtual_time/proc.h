// Questions about processes that the kernel answers (proc(5)).
//
// Thread-safety: pure functions.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace explore {

// Its program's name, or "process 7" if it is gone.
[[nodiscard]] std::string name_of(pid_t process);

// True if its program has no dynamic linker, which would load the preloaded library.
[[nodiscard]] bool is_static(pid_t process);

// True if its program is the shim (faults/explore/shim), with the one that it has loaded.
[[nodiscard]] bool is_shim(pid_t process);

// A thread as the kernel sees it. As long as `switches` stays what it is, it has not run.
struct Thread {
  pid_t id = 0;
  char state = 'Z';  // by proc(5): S sleeps until something comes, T is stopped, Z is dead
  std::uint64_t switches = 0;

  bool operator==(const Thread&) const = default;
};
[[nodiscard]] std::vector<Thread> threads_of(pid_t process);

// True if it has ended, and its parent has not waited for it yet.
[[nodiscard]] bool is_dead(pid_t process);

// True if a signal that was sent to it, and not to one of its threads, has not been delivered.
[[nodiscard]] bool has_pending_signal(pid_t process);

// The processes that it has begun, and not yet waited for.
[[nodiscard]] std::vector<pid_t> children_of(pid_t process);

// How many packets wait on this machine to be delivered, on any network; 0 where the kernel does
// not say.
[[nodiscard]] std::size_t packets_under_way();

}  // namespace explore
