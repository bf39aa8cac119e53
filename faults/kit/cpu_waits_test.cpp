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
TEST(CpuWaits, AreThoseOfAllThreadsOfTheProcess) {
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
  EXPECT_TRUE(eventually([&] { return waits.so_far() > std::chrono::milliseconds(100); }));
  auto of_this = CpuWaits::of_this_thread();
  const auto start = std::chrono::steady_clock::now();
  const auto before = waits.so_far();
  const auto of_this_before = of_this.so_far();
  EXPECT_TRUE(eventually([&] {
    const auto passed = std::chrono::steady_clock::now() - start;
    return passed > std::chrono::milliseconds(300) && waits.so_far() - before > 2 * passed;
  }));
  // One thread cannot wait for longer than it is there.
  const auto of_this_since = of_this.so_far() - of_this_before;
  EXPECT_LE(of_this_since, std::chrono::steady_clock::now() - start);
}

}  // namespace
}  // namespace faults
