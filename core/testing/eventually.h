// How a test waits: for a condition, with a deadline, and saying what it waited for.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>
#include <thread>

#include "core/deadline.h"

namespace core {

// A machine has stood still for so long. A lease that must not end while a test waits is longer.
inline constexpr std::chrono::seconds longest_wait{60};
// How long a test waits for a condition, not counting the time in which the machine stood still.
inline constexpr std::chrono::seconds condition_limit{15};

// Fails the test unless `condition` comes true within that.
//   eventually("the lease runs out", [&] { return !redis().holds("orders"); });
template <typename Condition>
void eventually(std::string_view what, Condition condition) {
  core::Deadline deadline(condition_limit);
  while (!condition()) {
    if (deadline.is_over()) {
      FAIL() << "waited " << condition_limit.count() << " s, in vain, until " << what;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace core
