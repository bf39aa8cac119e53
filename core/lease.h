// What every lock with a lease agrees on about leases.
#pragma once

#include <chrono>
#include <stdexcept>

namespace core {

// `lease` itself, if it is one. Throws std::invalid_argument unless it is longer than nothing: a
// server deletes a key at once when told to expire it in no time.
[[nodiscard]] inline std::chrono::milliseconds checked_lease(std::chrono::milliseconds lease) {
  if (lease > std::chrono::milliseconds::zero()) return lease;
  throw std::invalid_argument("a lease must be longer than 0 ms");
}

// Until when a holder may rely on `lease` if it asked for it at `asked`, which is *before* the
// command was sent: the server starts counting later. 1 % and 2 ms are left for clocks that run at
// different speeds, as in Redlock:
// https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/
[[nodiscard]] inline std::chrono::steady_clock::time_point local_deadline(
    std::chrono::steady_clock::time_point asked, std::chrono::milliseconds lease) {
  const auto drift = std::chrono::microseconds(lease) / 100 + std::chrono::milliseconds(2);
  return asked + lease - drift;
}

}  // namespace core
