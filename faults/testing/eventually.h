// How a test waits: for a condition, with a deadline, and saying what it waited for.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>
#include <thread>

namespace faults {

// So long has a machine stood still. A lease that must not end while a test waits is longer.
inline constexpr std::chrono::seconds longest_wait{60};

// Fails the test unless `condition` comes true within that.
//   eventually("the lease runs out", [&] { return !redis().holds("orders"); });
template <typename Condition>
void eventually(std::string_view what, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      FAIL() << "waited " << longest_wait.count() << " s, in vain, until " << what;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace faults
