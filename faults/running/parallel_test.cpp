#include "faults/running/parallel.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>

using faults::run_in_parallel;
using testing::ElementsAre;

TEST(SideBySide, RunsEachOnce) {
  std::mutex mutex;
  std::multiset<std::size_t> seen;
  run_in_parallel(5, 3, [&](std::size_t i) {
    const std::lock_guard guard(mutex);
    seen.insert(i);
  });
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4));
}

TEST(SideBySide, RunsSoManyAtATime) {
  std::latch all_are_there(3);
  run_in_parallel(3, 3, [&](std::size_t) { all_are_there.arrive_and_wait(); });
}

TEST(SideBySide, RunsNoMoreAtATime) {
  using Clock = std::chrono::steady_clock;
  std::atomic<int> running = 0;
  std::atomic<bool> too_many = false;
  run_in_parallel(3, 2, [&](std::size_t) {
    const auto until = Clock::now() + std::chrono::milliseconds(20);
    ++running;
    while (Clock::now() < until && !too_many) too_many = too_many || running > 2;
    --running;
  });
  EXPECT_FALSE(too_many);
}

TEST(SideBySide, BeginsNothingMoreAfterAFailure) {
  std::multiset<std::size_t> seen;
  const auto run = [&] {
    run_in_parallel(9, 1, [&](std::size_t i) {
      seen.insert(i);
      if (i == 1) throw std::runtime_error("the second one");
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_THAT(seen, ElementsAre(0, 1));
}
