// The clocks of virtual time in numbers: what each shows when virtual time is 0, and conversions.
// Needs no C library: the shim (faults/explore/shim) uses it, too.
//
// Thread-safety: pure functions.
#pragma once

#include <ctime>

#include "faults/explore/preload/shared_page.h"

namespace explore {

// False: the clock does not show the time, but a thread's CPU use, say.
inline bool shows_time(clockid_t clock) {
  switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return true;
    default: return false;
  }
}

// What `clock` shows when virtual time is 0, to a process whose clocks are ahead by that.
inline Instant start_of(clockid_t clock, Instant wall_offset, Instant monotonic_offset) {
  const bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
  return wall ? wall_start + wall_offset : monotonic_start + monotonic_offset;
}

// `no_limit` for longer than can be counted.
inline Instant duration_of(const timespec& time) {
  constexpr Instant longest = no_limit / second - 1;
  return time.tv_sec >= longest ? no_limit : time.tv_sec * second + time.tv_nsec;
}

inline timespec to_timespec(Instant duration) {
  return {.tv_sec = duration / second, .tv_nsec = duration % second};
}

// The moment after that duration; `no_limit` for longer than can be counted.
inline Instant later(Instant now, Instant duration) {
  return duration < no_limit - now ? now + duration : no_limit;
}

}  // namespace explore
