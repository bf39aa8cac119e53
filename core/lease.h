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

}  // namespace core
