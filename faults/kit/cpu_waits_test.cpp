#include "faults/kit/cpu_waits.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

// Four threads that never sleep, on a CPU for one: each moment at least three of them wait.
TEST(CpuWaits, AreThoseOfTheUnluckiestThread) {
  if (!counts_cpu_waits()) GTEST_SKIP() << no_cpu_waits;
  cpu_set_t one_cpu;
  CPU_ZERO(&one_cpu);
  CPU_SET(sched_getcpu(), &one_cpu);
  std::array<std::jthread, 4> threads;
  for (auto& thread : threads) {
    thread = std::jthread([one_cpu](const std::stop_token& stop) {
      sched_setaffinity(0, sizeof one_cpu, &one_cpu);
      while (!stop.stop_requested()) {
      }
    });
  }
  CpuWaits waits(getpid());
  EXPECT_TRUE(eventually([&] {
    const auto before = std::chrono::steady_clock::now();
    (void)waits.longest_since();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const auto longest = waits.longest_since();
    // One thread cannot wait for longer than that; added up, they wait three times as long.
    EXPECT_LE(longest, std::chrono::steady_clock::now() - before);
    return longest > std::chrono::milliseconds(100);
  }));
}

}  // namespace
}  // namespace faults
