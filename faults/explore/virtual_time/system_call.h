// The system call in which a thread waits, seen from outside (proc(5)).
//
// Thread-safety: pure functions.
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <string>

namespace explore {

struct SystemCall {
  long number = 0;
  std::array<unsigned long, 6> arguments{};
};

// The call that this thread of that process sleeps in; nothing: it runs, or the kernel does not
// say.
[[nodiscard]] std::optional<SystemCall> call_of(pid_t process, pid_t thread);

// True if the kernel ends it after some time.
[[nodiscard]] bool has_limit(const SystemCall& call);

// "nanosleep"; of a call that has no limit, its number: "system call 73".
[[nodiscard]] std::string name_of(const SystemCall& call);

}  // namespace explore
