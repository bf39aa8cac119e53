// The rules for leases: how long one may be, and until when its holder may rely on it.
#pragma once

#include <chrono>
#include <stdexcept>

namespace core {

// Clocks, here and at the server, cannot count much further.
inline constexpr std::chrono::milliseconds longest_lease = std::chrono::years(100);

// Returns `lease`. Throws std::invalid_argument unless it is longer than 0 ms (a server deletes a
// key immediately if it is to expire in 0 ms) and not longer than 100 years.
[[nodiscard]] inline std::chrono::milliseconds checked_lease(std::chrono::milliseconds lease) {
  if (lease <= std::chrono::milliseconds::zero()) {
    throw std::invalid_argument("a lease must be longer than 0 ms");
  }
  if (lease > longest_lease) {
    throw std::invalid_argument("a lease must not be longer than 100 years");
  }
  return lease;
}

// The time until which a holder may rely on `lease`. `asked` is a time *before* the command was
// sent: the server starts counting later. The margin is 1 %, for clocks that run at different
// speeds, plus 2 ms: one because Redis counts whole milliseconds, one as the least drift of a short
// lease, as in the first Redlock: https://github.com/antirez/redlock-rb
[[nodiscard]] inline std::chrono::steady_clock::time_point local_deadline(
    std::chrono::steady_clock::time_point asked, std::chrono::milliseconds lease) {
  const auto drift = std::chrono::microseconds(lease) / 100 + std::chrono::milliseconds(2);
  return asked + lease - drift;
}

}  // namespace core
