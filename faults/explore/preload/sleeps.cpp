// Waits for time alone.
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "faults/explore/preload/activity.h"
#include "faults/explore/preload/housekeeping.h"
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/thread_entries.h"
#include "faults/explore/preload/turns.h"
#include "faults/explore/preload/waits.h"

namespace {

using explore::Instant;

void sleep_really(Instant duration) {
  const auto time = explore::to_timespec(duration);
  (void)explore::raw_syscall(SYS_nanosleep, explore::address_of(&time));
}

// A server sleeps before anyone knows it: while it starts, some measure the processor's clock so
// (https://github.com/valkey-io/valkey/pull/3103). Virtual time does not advance for that, and a
// clock that is measured by it is of no use to the server.
//
// The thread of a Java machine that stops all others sleeps for moments, until they have stopped:
// in a search each of them has a turn instead.
//
// False: a signal's handler has run.
bool sleep_until(Instant until) {
  if (explore::is_server() || explore::keeps_house()) {
    if (explore::is_client()) {
      explore::turns.give_way(*explore::this_thread());
    } else {
      sleep_really(until - explore::now());
    }
    return true;
  }
  explore::note_output();
  while (explore::now() < until) {
    if (explore::counts_waits()) {
      const auto woken =
          explore::rest({.until = until}, explore::generation(), explore::Restarts::no);
      if (woken == explore::Woken::by_signal) return false;
    } else {  // looks again after a moment
      constexpr Instant moment = 1'000'000;
      sleep_really(moment);
    }
  }
  return true;
}

}  // namespace

extern "C" {

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!explore::is_virtual(clock)) {
    return static_cast<int>(-explore::raw_syscall(
        SYS_clock_nanosleep, clock, flags, explore::address_of(time), explore::address_of(left)));
  }
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  const auto until =
      absolute ? explore::when(clock, *time) : explore::after(explore::duration_of(*time));
  if (sleep_until(until)) return 0;
  if (!absolute && left != nullptr) *left = explore::to_timespec(until - explore::now());
  return EINTR;
}

int nanosleep(const timespec* time, timespec* left) {
  return explore::returned(-clock_nanosleep(CLOCK_MONOTONIC, 0, time, left));
}

int sched_yield() noexcept {
  if (explore::is_client()) explore::turns.give_way(*explore::this_thread());
  return explore::returned(static_cast<int>(explore::raw_syscall(SYS_sched_yield)));
}

int usleep(useconds_t time) {
  const auto duration = explore::to_timespec(Instant{time} * 1'000);
  return nanosleep(&duration, nullptr);
}

unsigned sleep(unsigned seconds) {
  timespec time{.tv_sec = seconds, .tv_nsec = 0};
  return nanosleep(&time, &time) == 0 ? 0 : static_cast<unsigned>(time.tv_sec);
}

}  // extern "C"
