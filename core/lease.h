// What every lock with a lease agrees on about leases.
#pragma once

#include <chrono>
#include <stdexcept>

namespace core {

// No clock, here or at the server, can count much further than that.
inline constexpr std::chrono::milliseconds longest_lease = std::chrono::years(100);

// `lease` itself, if it is one. Throws std::invalid_argument unless it is longer than nothing (a
// server deletes a key at once when told to expire it in no time) and not longer than 100 years.
[[nodiscard]] inline std::chrono::milliseconds checked_lease(std::chrono::milliseconds lease) {
  if (lease <= std::chrono::milliseconds::zero()) {
    throw std::invalid_argument("a lease must be longer than 0 ms");
  }
  if (lease > longest_lease) {
    throw std::invalid_argument("a lease must not be longer than 100 years");
  }
  return lease;
}

// Until when a holder may rely on `lease` if it asked for it at `asked`, which is *before* the
// command was sent: the server starts counting later. 1 % is left for clocks that run at different
// speeds, and 2 ms: one because Redis counts whole milliseconds, one as the least drift of a short
// lease, as in the first Redlock: https://github.com/antirez/redlock-rb
[[nodiscard]] inline std::chrono::steady_clock::time_point local_deadline(
    std::chrono::steady_clock::time_point asked, std::chrono::milliseconds lease) {
  const auto drift = std::chrono::microseconds(lease) / 100 + std::chrono::milliseconds(2);
  return asked + lease - drift;
}

}  // namespace core
