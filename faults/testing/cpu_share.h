// How a test sees that a waiter sleeps, and does not look again and again.
#pragma once

#include <chrono>
#include <ctime>
#include <thread>

namespace faults {

// How much of one CPU this process has used while a while passed: about 1 if a thread of it never
// sleeps. (On a machine that has too much to do it can look like less, never like more.)
[[nodiscard]] inline double cpu_share() {
  using std::chrono::steady_clock;
  const auto start = steady_clock::now();
  const auto before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  return used / std::chrono::duration<double>(steady_clock::now() - start).count();
}

// A process with nothing to do uses less: the links of a test take a little themselves.
inline constexpr double hardly_any_cpu = 0.25;

}  // namespace faults
