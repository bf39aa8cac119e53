// How a test sees that a lock is renewed, without waiting for a lease to pass.
#pragma once

#include <chrono>

#include "core/lock.h"
#include "faults/testing/eventually.h"

namespace faults {

// `lock`, whose lease is `lease`, is renewed also from now on: what is left of it comes to count
// from a renewal that was asked for later than now.
inline void goes_on(const core::Lock& lock, std::chrono::milliseconds lease) {
  using std::chrono::steady_clock;
  const auto margin = lease / 100 + std::chrono::milliseconds(2);  // core/lease.h
  eventually("its lease counts from a later renewal", [&, start = steady_clock::now()] {
    const auto now = steady_clock::now();
    const auto left = lock.remaining().value_or(std::chrono::milliseconds(0));
    return now + left + margin > start + lease;
  });
}

}  // namespace faults
