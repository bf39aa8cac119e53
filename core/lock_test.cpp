// What is written once, on top of every stage's `try_acquire` and `release`.
#include "core/lock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/testing/print_outcome.h"

namespace {

using core::Acquire;
using core::Release;
using core::Waiting;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A lock whose answers are written down beforehand; the last one is repeated.
class WrittenLock : public core::Lock {
 public:
  explicit WrittenLock(std::deque<Acquire> answers) : answers_(std::move(answers)) {}

  Acquire try_acquire() override {
    tried.push_back(steady_clock::now());
    const auto answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }

  Release release() override {
    ++released;
    return Release::released;
  }

  std::vector<steady_clock::time_point> tried;
  int released = 0;

 private:
  std::deque<Acquire> answers_;
};

class BrokenLock : public core::Lock {
 public:
  Acquire try_acquire() override { throw core::Unreachable("nobody there"); }
  Release release() override { throw core::Unreachable("nobody there"); }
};

static_assert(core::TimedLockable<WrittenLock>);
static_assert(!core::TimedLockable<std::mutex>);

const Waiting every_millisecond = Waiting::fixed(milliseconds(1));

TEST(LockAcquire, TriesUntilItIsAcquired) {
  WrittenLock lock({Acquire::contended, Acquire::contended, Acquire::acquired});
  EXPECT_EQ(lock.acquire(every_millisecond), Acquire::acquired);
  EXPECT_EQ(lock.tried.size(), 3U);
}

TEST(LockAcquire, AsksOnceWithoutWaiting) {
  WrittenLock lock({Acquire::contended});
  EXPECT_EQ(lock.acquire(Waiting::none()), Acquire::contended);
  EXPECT_EQ(lock.tried.size(), 1U);
}

TEST(LockAcquire, MakesAsManyTriesAsItMay) {
  WrittenLock lock({Acquire::contended});
  EXPECT_EQ(lock.acquire(every_millisecond.tries(5)), Acquire::contended);
  EXPECT_EQ(lock.tried.size(), 5U);
}

TEST(LockAcquire, PausesBetweenTries) {
  WrittenLock lock({Acquire::contended});
  (void)lock.acquire(Waiting::fixed(milliseconds(20)).tries(3));
  ASSERT_EQ(lock.tried.size(), 3U);
  EXPECT_GE(lock.tried[1] - lock.tried[0], milliseconds(20));
  EXPECT_GE(lock.tried[2] - lock.tried[1], milliseconds(20));
}

TEST(LockAcquire, TriesOnceMoreWhenItsTimeIsOver) {
  WrittenLock lock({Acquire::contended, Acquire::acquired});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(lock.acquire(Waiting::fixed(hours(1)).at_most(milliseconds(400))), Acquire::acquired);
  ASSERT_EQ(lock.tried.size(), 2U);
  EXPECT_GE(lock.tried[1] - start, milliseconds(399));
}

TEST(LockAcquire, EndsAtOnceWhenTheAnswerIsUnknown) {
  WrittenLock lock({Acquire::contended, Acquire::unknown, Acquire::acquired});
  EXPECT_EQ(lock.acquire(every_millisecond), Acquire::unknown);
  EXPECT_EQ(lock.tried.size(), 2U);
}

TEST(LockAcquire, EndsAtOnceWhenStopped) {
  WrittenLock lock({Acquire::contended});
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(lock.acquire(Waiting::fixed(hours(1)), stop.get_token()), Acquire::contended);
  EXPECT_EQ(lock.tried.size(), 1U);
}

TEST(LockAcquire, PassesOnWhatGoesWrong) {
  BrokenLock lock;
  EXPECT_THROW((void)lock.acquire(every_millisecond), core::Unreachable);
  EXPECT_THROW(lock.lock(), core::Unreachable);
  EXPECT_THROW((void)lock.try_lock(), core::Unreachable);
  EXPECT_THROW((void)lock.try_lock_for(milliseconds(1)), core::Unreachable);
}

TEST(LockLock, WaitsAsLongAsItTakes) {
  WrittenLock lock({Acquire::contended, Acquire::contended, Acquire::contended, Acquire::acquired});
  lock.lock();
  EXPECT_EQ(lock.tried.size(), 4U);
}

TEST(LockTryLock, IsTrueOnlyWhenAcquired) {
  WrittenLock lock({Acquire::contended, Acquire::acquired});
  EXPECT_FALSE(lock.try_lock());
  EXPECT_TRUE(lock.try_lock());
  EXPECT_EQ(lock.tried.size(), 2U);
}

TEST(LockUnknown, IsThrownWhereThereIsNoRoomForIt) {
  WrittenLock once({Acquire::unknown, Acquire::acquired});
  EXPECT_THROW(once.lock(), core::OutcomeUnknown);
  WrittenLock lock({Acquire::unknown});
  const auto soon = milliseconds(10);
  EXPECT_THROW((void)lock.try_lock(), core::OutcomeUnknown);
  EXPECT_THROW((void)lock.try_lock_for(soon), core::OutcomeUnknown);
  EXPECT_THROW((void)lock.try_lock_until(steady_clock::now() + soon), core::OutcomeUnknown);
}

TEST(LockTryLockFor, GivesUpAfterItsTime) {
  WrittenLock lock({Acquire::contended});
  const auto start = steady_clock::now();
  EXPECT_FALSE(lock.try_lock_for(milliseconds(60)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(60));
}

TEST(LockTryLockFor, AsksOnceWhenThereIsNoTime) {
  WrittenLock lock({Acquire::contended});
  EXPECT_FALSE(lock.try_lock_for(milliseconds(0)));
  EXPECT_FALSE(lock.try_lock_for(milliseconds(-5)));
  EXPECT_EQ(lock.tried.size(), 2U);
}

TEST(LockTryLockFor, TakesTheLongestTimeThereIs) {
  WrittenLock lock({Acquire::contended, Acquire::contended, Acquire::acquired});
  EXPECT_TRUE(lock.try_lock_for(std::chrono::nanoseconds::max()));
}

TEST(LockTryLockUntil, TakesEitherClock) {
  WrittenLock lock({Acquire::contended});
  const auto start = steady_clock::now();
  EXPECT_FALSE(lock.try_lock_until(start + milliseconds(30)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(30));
  EXPECT_FALSE(lock.try_lock_until(std::chrono::system_clock::now() + milliseconds(30)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(50));
}

TEST(LockTryLockUntil, TakesTheEndOfTime) {
  WrittenLock lock({Acquire::contended, Acquire::contended, Acquire::acquired});
  EXPECT_TRUE(lock.try_lock_until(steady_clock::time_point::max()));
}

TEST(LockPauses, GrowFromHalfAMillisecond) {
  WrittenLock lock({Acquire::contended});
  EXPECT_FALSE(lock.try_lock_for(milliseconds(300)));
  EXPECT_LE(lock.tried.size(), 20U);
  auto least = std::chrono::duration<double, std::milli>(0.5);
  for (std::size_t i = 1; i + 1 < lock.tried.size(); ++i) {
    EXPECT_GE(lock.tried[i] - lock.tried[i - 1], least) << "before try " << i + 1;
    least = std::min(least * 2, std::chrono::duration<double, std::milli>(25));
  }
}

// If they went on doubling, there would be room for 11 tries in this time.
TEST(LockPauses, DoNotGrowBeyondFiftyMilliseconds) {
  std::size_t most = 0;
  for (int round = 0; round < 20 && most < 14; ++round) {
    WrittenLock lock({Acquire::contended});
    (void)lock.try_lock_for(milliseconds(500));
    most = std::max(most, lock.tried.size());
  }
  EXPECT_GE(most, 14U);
}

// Without jitter no pause before the 8th try or later could be shorter than 50 ms.
TEST(LockPauses, AreShortenedAtRandom) {
  auto shortest = steady_clock::duration::max();
  for (int round = 0; round < 20 && shortest >= milliseconds(49); ++round) {
    WrittenLock lock({Acquire::contended});
    (void)lock.try_lock_for(milliseconds(400));
    for (std::size_t i = 7; i + 1 < lock.tried.size(); ++i) {
      shortest = std::min(shortest, lock.tried[i] - lock.tried[i - 1]);
    }
  }
  EXPECT_LT(shortest, milliseconds(49));
}

TEST(LockUnlock, Releases) {
  WrittenLock lock({Acquire::acquired});
  lock.unlock();
  EXPECT_EQ(lock.released, 1);
}

TEST(LockUnlock, NeverThrows) {
  BrokenLock lock;
  static_assert(noexcept(lock.unlock()));
  lock.unlock();
}

TEST(LockGuards, GiveBackWhenAnExceptionFlies) {
  WrittenLock lock({Acquire::acquired});
  const auto work = [&lock] {
    const std::lock_guard guard(lock);
    throw std::runtime_error("the work fails");
  };
  EXPECT_THROW(work(), std::runtime_error);
  EXPECT_EQ(lock.released, 1);
}

TEST(LockGuards, GiveBackOnlyWhatTheyGot) {
  WrittenLock lock({Acquire::contended});
  {
    const std::unique_lock guard(lock, milliseconds(5));
    EXPECT_FALSE(guard.owns_lock());
  }
  EXPECT_EQ(lock.released, 0);
}

}  // namespace
