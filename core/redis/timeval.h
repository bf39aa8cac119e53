// Converts a duration for the kernel's socket calls.
#pragma once

#include <sys/time.h>

#include <chrono>

namespace core {

[[nodiscard]] inline timeval to_timeval(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(time - seconds);
  return {.tv_sec = seconds.count(), .tv_usec = rest.count()};
}

}  // namespace core
