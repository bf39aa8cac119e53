// Waiting for a lock: pauses, tries, deadlines.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>

#include "core/lock.h"
#include "core/testing/print_outcome.h"
#include "core/testing/scripted_lock.h"

namespace {

using core::Acquire;
using core::ScriptedLock;
using core::Waiting;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Notes how it is asked to wait.
class NotingLock : public ScriptedLock {
 public:
  NotingLock() : ScriptedLock({Acquire::contended}) {}
  Acquire acquire(const Waiting& waiting, const std::stop_token& /*stop*/) override {
    limit = waiting.time_limit();
    return Acquire::contended;
  }

  std::optional<Waiting::Duration> limit;
  int cancelled = 0;

 protected:
  void cancel_wait() noexcept override { ++cancelled; }
};

TEST(LockWaiting, MakesAllItsTries) {
  ScriptedLock lock({Acquire::contended});
  EXPECT_EQ(lock.acquire(Waiting::fixed(milliseconds(1)).tries(5)), Acquire::contended);
  EXPECT_EQ(lock.tried.size(), 5U);
}

TEST(LockWaiting, PausesBetweenTries) {
  ScriptedLock lock({Acquire::contended});
  (void)lock.acquire(Waiting::fixed(milliseconds(20)).tries(3));
  ASSERT_EQ(lock.tried.size(), 3U);
  EXPECT_GE(lock.tried[1] - lock.tried[0], milliseconds(20));
  EXPECT_GE(lock.tried[2] - lock.tried[1], milliseconds(20));
}

TEST(LockWaiting, TriesOnceMoreAtItsLimit) {
  ScriptedLock lock({Acquire::contended, Acquire::acquired});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(lock.acquire(Waiting::fixed(seconds(10)).at_most(milliseconds(400))),
            Acquire::acquired);
  ASSERT_EQ(lock.tried.size(), 2U);
  EXPECT_GE(lock.tried[1] - start, milliseconds(399));
  EXPECT_LT(lock.tried[1] - start, seconds(10));
}

TEST(LockWaiting, IsCancelledOnceIfItEndsInVain) {
  NotingLock lock;
  EXPECT_EQ(lock.Lock::acquire(Waiting::fixed(milliseconds(1)).tries(2)), Acquire::contended);
  EXPECT_EQ(lock.cancelled, 1);
}

TEST(LockWaiting, EndsAtOnceWhenStopped) {
  ScriptedLock lock({Acquire::contended});
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(lock.acquire(Waiting::fixed(seconds(10)).tries(2), stop.get_token()),
            Acquire::contended);
  EXPECT_EQ(lock.tried.size(), 1U);
}

TEST(LockTryLockFor, GivesUpAfterItsTime) {
  ScriptedLock lock({Acquire::contended});
  const auto start = steady_clock::now();
  EXPECT_FALSE(lock.try_lock_for(milliseconds(60)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(60));
}

TEST(LockTryLockFor, AsksOnceWhenThereIsNoTime) {
  ScriptedLock lock({Acquire::contended});
  EXPECT_FALSE(lock.try_lock_for(milliseconds(0)));
  EXPECT_FALSE(lock.try_lock_for(milliseconds(-5)));
  EXPECT_EQ(lock.tried.size(), 2U);
}

TEST(LockTryLockFor, WaitsForNoLessThanItsTime) {
  NotingLock lock;
  EXPECT_FALSE(lock.try_lock_for(std::chrono::nanoseconds(1)));
  EXPECT_EQ(lock.limit, Waiting::Duration(1));
}

TEST(LockTryLockFor, TakesTheLongestTime) {
  ScriptedLock lock({Acquire::contended, Acquire::contended, Acquire::acquired});
  EXPECT_TRUE(lock.try_lock_for(std::chrono::nanoseconds::max()));
}

TEST(LockTryLockUntil, TakesEitherClock) {
  ScriptedLock lock({Acquire::contended});
  const auto start = steady_clock::now();
  EXPECT_FALSE(lock.try_lock_until(start + milliseconds(30)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(30));
  EXPECT_FALSE(lock.try_lock_until(std::chrono::system_clock::now() + milliseconds(30)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(50));
}

TEST(LockTryLockUntil, TakesTheEndOfTime) {
  ScriptedLock lock({Acquire::contended, Acquire::contended, Acquire::acquired});
  EXPECT_TRUE(lock.try_lock_until(steady_clock::time_point::max()));
}

TEST(LockPauses, GrowFromHalfAMillisecond) {
  ScriptedLock lock({Acquire::contended});
  EXPECT_FALSE(lock.try_lock_for(milliseconds(300)));
  EXPECT_LE(lock.tried.size(), 20U);
  auto least = std::chrono::duration<double, std::milli>(0.5);
  for (std::size_t i = 1; i + 1 < lock.tried.size(); ++i) {
    EXPECT_GE(lock.tried[i] - lock.tried[i - 1], least) << "before try " << i + 1;
    least = std::min(least * 2, std::chrono::duration<double, std::milli>(25));
  }
}

TEST(LockPauses, AreOneToFiftyMilliseconds) {
  const auto waiting = ScriptedLock({Acquire::contended}).usual_waiting();
  EXPECT_EQ(waiting.pause_before(2), milliseconds(1));
  EXPECT_EQ(waiting.pause_before(100), milliseconds(50));
}

// If the pauses went on doubling, there would be time for 11 tries only.
TEST(LockPauses, DoNotGrowBeyondFiftyMilliseconds) {
  std::size_t most = 0;
  for (int round = 0; round < 20 && most < 14; ++round) {
    ScriptedLock lock({Acquire::contended});
    (void)lock.try_lock_for(milliseconds(500));
    most = std::max(most, lock.tried.size());
  }
  EXPECT_GE(most, 14U);
}

// Without jitter no pause before the 8th try or later could be shorter than 50 ms.
TEST(LockPauses, AreShortenedAtRandom) {
  auto shortest = steady_clock::duration::max();
  for (int round = 0; round < 20 && shortest >= milliseconds(49); ++round) {
    ScriptedLock lock({Acquire::contended});
    (void)lock.try_lock_for(milliseconds(400));
    for (std::size_t i = 7; i + 1 < lock.tried.size(); ++i) {
      shortest = std::min(shortest, lock.tried[i] - lock.tried[i - 1]);
    }
  }
  EXPECT_LT(shortest, milliseconds(49));
}

}  // namespace
