// How a thread whose waits are counted waits for something that the kernel knows of.
#pragma once

#include <cerrno>

#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/timers.h"

namespace explore {

// Calls `look`, which does not wait, until it finds something or `wait` is over.
template <typename Look>
int look_until(const Wait& wait, Look look) {
  note_output();
  for (;;) {
    const auto seen = generation();
    ring_due_timers();
    const int found = look();
    if (found != 0 || now() >= wait.until) return found;
    if (rest(wait, seen, Restarts::no) == Woken::by_signal) return returned(-EINTR);
  }
}

}  // namespace explore
