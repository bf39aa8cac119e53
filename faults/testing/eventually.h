// How a test waits: for a condition, with a deadline, and saying what it waited for.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>
#include <thread>

namespace faults {

// Fails the test unless `condition` comes true within a minute: so long has a machine stood still.
//   eventually("the lease runs out", [&] { return !redis().holds("orders"); });
template <typename Condition>
void eventually(std::string_view what, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      FAIL() << "waited a minute, in vain, until " << what;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace faults
