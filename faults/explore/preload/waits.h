// Waits in virtual time: a thread writes down in the page what it waits for, then rests until
// another thread, the explorer or a signal's handler ends that.
//
// Thread-safety: safe to share.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "faults/explore/preload/activity.h"
#include "faults/explore/preload/process_entry.h"
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/shared_page.h"
#include "faults/explore/preload/timers.h"
#include "faults/explore/preload/virtual_clock.h"

namespace explore {

// What has ended a wait.
enum class Woken : std::uint8_t {
  by_notice,  // another thread or process did what may end it
  by_time,
  by_signal,  // a handler has run
};

// Says of a call whether it continues after a handler that was installed with SA_RESTART
// (signal(7)), and of a handler whether it was installed so.
enum class Restarts : bool { no, yes };

// Counts what may have ended a wait of this process.
[[nodiscard]] std::uint32_t generation();
// Puts the calling thread to rest until it is notified, its time has come, or a signal's handler
// has run. Returns immediately if the generation is no longer `seen`: what it waits for may have
// come since the caller has looked.
[[nodiscard]] Woken rest(const Wait& wait, std::uint32_t seen, Restarts restarts);
// The same for a thread that holds what others need to wake it: its wait is written down, then it
// calls `release`, until whose end it counts as running, then it rests. It continues to wait after
// any handler.
[[nodiscard]] Woken rest_after(const Wait& wait, void (*release)(void*), void* argument);
// Returns when `thread`, a pthread_t, is about to end.
void rest_until_end_of(std::uint64_t thread);

// Calls `look`, which does not wait, until it finds something or `wait` has ended; returns what it
// has found, -1 and EINTR after a signal's handler.
template <typename Look>
int rest_until_found(const Wait& wait, Look look) {
  note_output();
  for (;;) {
    const auto seen = generation();
    ring_due_timers();
    const int found = look();
    if (found != 0 || now() >= wait.until) return found;
    if (rest(wait, seen, Restarts::no) == Woken::by_signal) return returned(-EINTR);
  }
}

// A signal's handler is about to run in the calling thread. True: that waits, and its wait ends.
[[nodiscard]] bool stop_waiting();
// That handler has run.
void note_interruption(Restarts restarts);

// Wakes the threads of this process that wait for `object`, at most so many.
void notify_object(std::uint64_t object, std::size_t most);
// Wakes those that wait for descriptors.
void notify_all_descriptors();

}  // namespace explore
