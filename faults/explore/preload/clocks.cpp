// The clocks of virtual time: they do not move until the explorer moves them.
#include <sys/time.h>

#include "faults/explore/preload/virtual_clock.h"

extern "C" {

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  *result = explore::to_timespec(explore::time_by(clock));
  return 0;
}

int gettimeofday(timeval* result, void* /*timezone*/) noexcept {
  const auto now = explore::time_by(CLOCK_REALTIME);
  *result = {.tv_sec = now / explore::second, .tv_usec = now % explore::second / 1'000};
  return 0;
}

time_t time(time_t* result) noexcept {
  const time_t now = explore::time_by(CLOCK_REALTIME) / explore::second;
  if (result != nullptr) *result = now;
  return now;
}

int timespec_get(timespec* result, int base) noexcept {
  if (base != TIME_UTC) return 0;
  *result = explore::to_timespec(explore::time_by(CLOCK_REALTIME));
  return base;
}

}  // extern "C"
