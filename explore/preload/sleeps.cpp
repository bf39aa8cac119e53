// Waits for nothing but time.
#include <unistd.h>

#include <ctime>

#include "explore/preload/raw_syscall.h"
#include "explore/preload/this_process.h"

namespace {

using explore::Instant;

void sleep_until(Instant until) {
  explore::note_output();
  while (explore::now() < until) {
    if (explore::counts_waits()) {
      explore::rest({.until = until}, explore::generation());
    } else {  // a server looks again after a millisecond of real time
      const timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
      (void)explore::raw_syscall(SYS_nanosleep, explore::address_of(&moment));
    }
  }
}

}  // namespace

extern "C" {

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!explore::is_virtual(clock)) {
    return static_cast<int>(-explore::raw_syscall(
        SYS_clock_nanosleep, clock, flags, explore::address_of(time), explore::address_of(left)));
  }
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  sleep_until(absolute ? explore::when(clock, *time) : explore::after(explore::duration_of(*time)));
  return 0;
}

int nanosleep(const timespec* time, timespec* left) {
  return clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
}

int usleep(useconds_t time) {
  const auto duration = explore::to_timespec(Instant{time} * 1'000);
  return clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, nullptr);
}

unsigned sleep(unsigned seconds) {
  const timespec duration{.tv_sec = seconds, .tv_nsec = 0};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, nullptr);
  return 0;
}

}  // extern "C"
