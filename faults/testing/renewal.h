// How a test sees that a lock is renewed, without waiting for a lease to pass.
#pragma once

#include <chrono>

#include "core/lock.h"
#include "core/testing/eventually.h"

namespace faults {

// Whether what is left of `lock`, whose lease is `lease`, counts from a later moment than `moment`:
// from a renewal, that is, which was asked for since then.
inline bool counts_from_later_than(std::chrono::steady_clock::time_point moment,
                                   const core::Lock& lock, std::chrono::milliseconds lease) {
  const auto margin = lease / 100 + std::chrono::milliseconds(2);  // core/lease.h
  const auto now = std::chrono::steady_clock::now();
  const auto left = lock.remaining().value_or(std::chrono::milliseconds(0));
  return now + left + margin > moment + lease;
}

// `lock`, whose lease is `lease`, is renewed also from now on.
inline void expect_renewal(const core::Lock& lock, std::chrono::milliseconds lease) {
  const auto start = std::chrono::steady_clock::now();
  core::eventually("its lease counts from a later renewal",
                   [&] { return counts_from_later_than(start, lock, lease); });
}

}  // namespace faults
