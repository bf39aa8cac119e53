// Signals that a participant sends to another: they change what the keeper has to expect of it.
//
// Thread-safety: safe to share.
#pragma once

#include <sys/types.h>

namespace explore {

// To be called before that signal is sent to that process (or, if it is negative, to a group).
void expect_signal(pid_t process, int number);

// `descriptor` is one of that process from now on (pidfd_open(2)).
void remember_process(long descriptor, pid_t process);
// The process of that descriptor; 0 if it is not known.
[[nodiscard]] pid_t process_behind(long descriptor);

}  // namespace explore
