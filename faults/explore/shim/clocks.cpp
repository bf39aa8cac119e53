// The clocks of virtual time: they do not move until the explorer moves them.
#include <sys/time.h>

#include "faults/explore/shim/call_families.h"
#include "faults/explore/shim/shim_process.h"

namespace explore::shim {

std::optional<long> tell_time(const Call& call) {
  const auto& [first, second_one, third, fourth, fifth, sixth] = call.arguments;
  switch (call.number) {
    case SYS_clock_gettime: {
      const auto clock = static_cast<clockid_t>(first);
      if (!shows_time(clock)) return raw_syscall(SYS_clock_gettime, first, second_one);
      *reinterpret_cast<timespec*>(second_one) = to_timespec(time_by(clock));
      return 0;
    }
    case SYS_gettimeofday: {
      const auto time = time_by(CLOCK_REALTIME);
      if (first != 0) {
        *reinterpret_cast<timeval*>(first) = {.tv_sec = time / second,
                                              .tv_usec = time % second / 1'000};
      }
      return 0;
    }
    case SYS_time: {
      const auto seconds = time_by(CLOCK_REALTIME) / second;
      if (first != 0) *reinterpret_cast<time_t*>(first) = seconds;
      return seconds;
    }
    default: return {};
  }
}

}  // namespace explore::shim
