#include "core/lock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <stdexcept>

#include "core/error.h"
#include "core/testing/print_outcome.h"
#include "core/testing/scripted_lock.h"

namespace {

using core::Acquire;
using core::ScriptedLock;
using core::UnreachableLock;
using core::Waiting;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

static_assert(core::TimedLockable<ScriptedLock>);
static_assert(!core::TimedLockable<std::mutex>);

const Waiting every_millisecond = Waiting::fixed(milliseconds(1));

TEST(LockAcquire, TriesUntilItIsAcquired) {
  ScriptedLock lock({Acquire::contended, Acquire::contended, Acquire::acquired});
  EXPECT_EQ(lock.acquire(every_millisecond), Acquire::acquired);
  EXPECT_EQ(lock.tried.size(), 3U);
}

TEST(LockAcquire, AsksOnceWithoutWaiting) {
  ScriptedLock lock({Acquire::contended});
  EXPECT_EQ(lock.acquire(Waiting::none()), Acquire::contended);
  EXPECT_EQ(lock.tried.size(), 1U);
}

TEST(LockAcquire, EndsAtOnceWhenTheAnswerIsUnknown) {
  ScriptedLock lock({Acquire::contended, Acquire::unknown, Acquire::acquired});
  EXPECT_EQ(lock.acquire(every_millisecond), Acquire::unknown);
  EXPECT_EQ(lock.tried.size(), 2U);
}

TEST(LockAcquire, PassesOnExceptions) {
  UnreachableLock lock;
  EXPECT_THROW((void)lock.acquire(every_millisecond), core::Unreachable);
  EXPECT_THROW(lock.lock(), core::Unreachable);
  EXPECT_THROW((void)lock.try_lock(), core::Unreachable);
  EXPECT_THROW((void)lock.try_lock_for(milliseconds(1)), core::Unreachable);
}

TEST(LockLock, WaitsAsLongAsItTakes) {
  ScriptedLock lock(
      {Acquire::contended, Acquire::contended, Acquire::contended, Acquire::acquired});
  lock.lock();
  EXPECT_EQ(lock.tried.size(), 4U);
}

TEST(LockTryLock, IsTrueOnlyWhenAcquired) {
  ScriptedLock lock({Acquire::contended, Acquire::acquired});
  EXPECT_FALSE(lock.try_lock());
  EXPECT_TRUE(lock.try_lock());
  EXPECT_EQ(lock.tried.size(), 2U);
}

TEST(LockUnknown, IsThrownByTheStandardNames) {
  ScriptedLock once({Acquire::unknown, Acquire::acquired});
  EXPECT_THROW(once.lock(), core::OutcomeUnknown);
  ScriptedLock lock({Acquire::unknown});
  const auto soon = milliseconds(10);
  EXPECT_THROW((void)lock.try_lock(), core::OutcomeUnknown);
  EXPECT_THROW((void)lock.try_lock_for(soon), core::OutcomeUnknown);
  EXPECT_THROW((void)lock.try_lock_until(steady_clock::now() + soon), core::OutcomeUnknown);
}

TEST(LockUnlock, Releases) {
  ScriptedLock lock({Acquire::acquired});
  lock.unlock();
  EXPECT_EQ(lock.released, 1);
}

TEST(LockUnlock, LeavesItsLevelWithoutAnOutcome) {
  struct SilentLock : ScriptedLock {
    SilentLock() : ScriptedLock({Acquire::acquired}) {}
    core::Release release() override { return core::Release::unknown; }
    void abandon_level() override { ++abandoned; }
    int abandoned = 0;
  } lock;
  lock.unlock();
  EXPECT_EQ(lock.abandoned, 1);
}

TEST(LockUnlock, NeverThrows) {
  UnreachableLock lock;
  static_assert(noexcept(lock.unlock()));
  lock.unlock();
}

TEST(LockGuards, ReleaseOnAnException) {
  ScriptedLock lock({Acquire::acquired});
  const auto work = [&lock] {
    const std::lock_guard guard(lock);
    throw std::runtime_error("the work fails");
  };
  EXPECT_THROW(work(), std::runtime_error);
  EXPECT_EQ(lock.released, 1);
}

TEST(LockGuards, ReleaseOnlyWhatTheyAcquired) {
  ScriptedLock lock({Acquire::contended});
  {
    const std::unique_lock guard(lock, milliseconds(5));
    EXPECT_FALSE(guard.owns_lock());
  }
  EXPECT_EQ(lock.released, 0);
}

}  // namespace
