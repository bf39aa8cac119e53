// `core::FallbackLock` around locks with prepared outcomes, and around one on a real server.
#include "core/wrappers/fallback_lock.h"

#include <gmock/gmock.h>

#include <atomic>
#include <sstream>
#include <thread>

#include "core/testing/eventually.h"
#include "core/testing/scripted_lock.h"
#include "core/wrappers/log_lines.h"
#include "faults/testing/redis_test.h"

namespace {

using core::Acquire;
using core::FallbackLock;
using core::Release;
using core::ScriptedLock;
using core::UnreachableLock;
using core::Waiting;
using core::WhenAway;
using std::chrono::milliseconds;
using testing::HasSubstr;

static_assert(core::TimedLockable<FallbackLock>);

// A lock that any thread gets while `away` is false, many at a time: what excludes them is not it.
class OpenLock : public core::Lock {
 public:
  Acquire try_acquire() override {
    ++asked;
    if (away) throw core::Unreachable("cannot connect");
    return Acquire::acquired;
  }
  Release release() override {
    if (away) throw core::Unreachable("cannot connect");
    return Release::released;
  }

  std::atomic<bool> away{false};
  std::atomic<int> asked{0};
};

// Its releases end as prescribed; it records how long callers wait.
class LevelsLock : public OpenLock {
 public:
  Acquire acquire(const Waiting& waiting, const std::stop_token& /*stop*/) override {
    limit = waiting.time_limit().value_or(Waiting::Duration::max());
    return Acquire::acquired;
  }
  Release release() override { return outcome; }

  std::atomic<Release> outcome{Release::released};
  std::atomic<Waiting::Duration> limit{Waiting::Duration::max()};
};

class DeniedLock : public OpenLock {
 public:
  Acquire try_acquire() override { throw core::AccessDenied("wrong password"); }
};

class ErrorLock : public OpenLock {
 public:
  explicit ErrorLock(std::string error) : error_(std::move(error)) {}
  Acquire try_acquire() override { throw core::ErrorReply(error_); }

 private:
  const std::string error_;
};

Acquire on_another_thread(FallbackLock& lock) {
  auto outcome = Acquire::unknown;
  std::jthread([&] {
    outcome = lock.try_acquire();
    if (outcome == Acquire::acquired) (void)lock.release();
  }).join();
  return outcome;
}

TEST(FallbackFails, AsTheLockDoes) {
  UnreachableLock lock;
  FallbackLock safe(lock, "fails", WhenAway::fail());
  EXPECT_THROW((void)safe.try_acquire(), core::Unreachable);
  EXPECT_THROW((void)safe.try_acquire(), core::Unreachable);  // and left no thread inside
  ScriptedLock silent({Acquire::unknown});
  EXPECT_EQ(FallbackLock(silent, "silent", WhenAway::fail()).try_acquire(), Acquire::unknown);
}

TEST(FallbackWaits, UntilTheServerAnswers) {
  ScriptedLock lock({Acquire::unknown, Acquire::unknown, Acquire::acquired});
  FallbackLock safe(lock, "waits", WhenAway::wait(std::chrono::seconds(60)));
  EXPECT_EQ(safe.try_acquire(), Acquire::acquired);
  EXPECT_EQ(lock.tried.size(), 3U);
  EXPECT_EQ(safe.degraded(), std::nullopt);
}

TEST(FallbackWaits, NoLongerThanItsLimit) {
  UnreachableLock lock;
  FallbackLock safe(lock, "bounded", WhenAway::wait(milliseconds(50)));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW((void)safe.try_acquire(), core::Unreachable);
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(50));
}

TEST(FallbackWaits, UntilItIsStopped) {
  UnreachableLock lock;
  FallbackLock safe(lock, "stopped", WhenAway::wait(std::chrono::hours(1)));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW((void)safe.acquire(Waiting::none(), stop.get_token()), core::Unreachable);
}

TEST(FallbackDegrades, AndSaysWhy) {
  UnreachableLock lock;
  std::ostringstream log;
  FallbackLock safe(lock, "says why", WhenAway::degrade(),
                    std::make_shared<core::LogLines>("orders", log));
  EXPECT_EQ(safe.try_acquire(), Acquire::acquired);
  EXPECT_EQ(safe.degraded(), "cannot connect");
  EXPECT_THAT(log.str(), HasSubstr("lock=orders event=degraded reason=\"cannot connect\"\n"));
  EXPECT_EQ(safe.release(), Release::released);
  EXPECT_EQ(safe.degraded(), std::nullopt);
}

TEST(FallbackDegrades, ForAServerThatCannotBeUsed) {
  for (const std::string code : {"MASTERDOWN", "CLUSTERDOWN", "LOADING"}) {
    ErrorLock lock("SET: " + code + " not now");
    FallbackLock safe(lock, code, WhenAway::degrade());
    EXPECT_EQ(safe.try_acquire(), Acquire::acquired);
    EXPECT_EQ(safe.degraded(), "SET: " + code + " not now");
    EXPECT_EQ(safe.release(), Release::released);
  }
}

TEST(FallbackDegrades, NotForAReplica) {
  ErrorLock lock("SET: READONLY not LOADING");
  FallbackLock safe(lock, "replica", WhenAway::degrade());
  EXPECT_THROW((void)safe.try_acquire(), core::ErrorReply);
}

TEST(FallbackDegrades, NotForALockThatIsHeld) {
  ScriptedLock lock({Acquire::contended});
  FallbackLock safe(lock, "held", WhenAway::degrade());
  EXPECT_EQ(safe.try_acquire(), Acquire::contended);
  EXPECT_EQ(lock.tried.size(), 1U);
}

TEST(FallbackDegrades, NotForAWrongPassword) {
  DeniedLock lock;
  FallbackLock safe(lock, "denied", WhenAway::degrade());
  EXPECT_THROW((void)safe.try_acquire(), core::AccessDenied);
  EXPECT_THROW((void)safe.try_acquire(), core::AccessDenied);
}

TEST(FallbackDegrades, ToALockOfTheProcess) {
  UnreachableLock lock;
  UnreachableLock other_lock;
  FallbackLock safe(lock, "process", WhenAway::degrade());
  FallbackLock same(other_lock, "process", WhenAway::degrade());
  FallbackLock other(other_lock, "another name", WhenAway::degrade());
  ASSERT_EQ(safe.try_acquire(), Acquire::acquired);
  EXPECT_EQ(on_another_thread(safe), Acquire::contended);
  EXPECT_EQ(on_another_thread(same), Acquire::contended);
  EXPECT_EQ(on_another_thread(other), Acquire::acquired);
  EXPECT_EQ(safe.release(), Release::released);
  EXPECT_EQ(on_another_thread(same), Acquire::acquired);
}

TEST(FallbackDegrades, WithLevels) {
  UnreachableLock lock;
  FallbackLock safe(lock, "levels", WhenAway::degrade());
  ASSERT_EQ(safe.try_acquire(), Acquire::acquired);
  EXPECT_EQ(safe.try_acquire(), Acquire::acquired);
  EXPECT_EQ(safe.release(), Release::still_held);
  EXPECT_EQ(on_another_thread(safe), Acquire::contended);
  EXPECT_EQ(safe.release(), Release::released);
}

TEST(FallbackDegrades, WithoutAskingEachTime) {
  OpenLock lock;
  lock.away = true;
  FallbackLock safe(lock, "pause", WhenAway::degrade(std::chrono::hours(1)));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(safe.try_acquire(), Acquire::acquired);
    EXPECT_EQ(safe.degraded(), "cannot connect");
    EXPECT_EQ(safe.release(), Release::released);
  }
  EXPECT_EQ(lock.asked, 1);
}

TEST(FallbackComesBack, WithoutTwoInside) {
  OpenLock lock;
  lock.away = true;
  FallbackLock safe(lock, "back", WhenAway::degrade(milliseconds(0)));
  ASSERT_EQ(safe.try_acquire(), Acquire::acquired);
  lock.away = false;
  // The server would say yes.
  EXPECT_EQ(on_another_thread(safe), Acquire::contended);
  EXPECT_EQ(safe.release(), Release::released);
  EXPECT_EQ(on_another_thread(safe), Acquire::acquired);
  ASSERT_EQ(safe.try_acquire(), Acquire::acquired);
  EXPECT_EQ(safe.degraded(), std::nullopt);
  EXPECT_EQ(safe.release(), Release::released);
}

TEST(FallbackComesBack, AndKeepsADegradedHold) {
  OpenLock lock;
  lock.away = true;
  FallbackLock safe(lock, "keeps", WhenAway::degrade(milliseconds(0)));
  ASSERT_EQ(safe.try_acquire(), Acquire::acquired);
  lock.away = false;
  EXPECT_EQ(safe.try_acquire(), Acquire::acquired);  // a level of the same hold
  EXPECT_NE(safe.degraded(), std::nullopt);
  EXPECT_EQ(lock.asked, 1);
  EXPECT_EQ(safe.release(), Release::still_held);
  EXPECT_EQ(safe.release(), Release::released);
}

TEST(FallbackRelease, LetsOthersInIfTheServerIsGone) {
  OpenLock lock;
  FallbackLock safe(lock, "gone", WhenAway::degrade(milliseconds(0)));
  {
    const std::lock_guard guard(safe);
    lock.away = true;
    EXPECT_EQ(on_another_thread(safe), Acquire::contended);
  }
  EXPECT_EQ(on_another_thread(safe), Acquire::acquired);
}

TEST(FallbackWaiting, IsBoundedAlsoForOneThreadOfTheProcess) {
  UnreachableLock lock;
  FallbackLock safe(lock, "bounds", WhenAway::degrade());
  ASSERT_EQ(safe.try_acquire(), Acquire::acquired);
  std::jthread([&] { EXPECT_FALSE(safe.try_lock_for(milliseconds(5))); }).join();
  std::stop_source stop;
  stop.request_stop();
  std::jthread([&] {
    EXPECT_EQ(safe.acquire(safe.usual_waiting(), stop.get_token()), Acquire::contended);
  }).join();
  EXPECT_EQ(safe.release(), Release::released);
}

TEST(FallbackRelease, KeepsItsLevelWithoutAnOutcome) {
  LevelsLock lock;
  FallbackLock safe(lock, "kept", WhenAway::fail());
  ASSERT_EQ(safe.try_acquire(), Acquire::acquired);
  ASSERT_EQ(safe.try_acquire(), Acquire::acquired);
  lock.outcome = Release::unknown;
  EXPECT_EQ(safe.release(), Release::unknown);
  lock.outcome = Release::still_held;
  EXPECT_EQ(safe.release(), Release::still_held);
  EXPECT_EQ(on_another_thread(safe), Acquire::contended);
  lock.outcome = Release::released;
  EXPECT_EQ(safe.release(), Release::released);
  EXPECT_EQ(on_another_thread(safe), Acquire::acquired);
}

TEST(FallbackWaiting, HasWhatTheOtherThreadLeftOfItsTime) {
  LevelsLock lock;
  FallbackLock safe(lock, "left", WhenAway::fail());
  constexpr Waiting::Duration limit = std::chrono::seconds(60);
  for (int round = 0; round < 20 && lock.limit.load() >= limit; ++round) {
    ASSERT_EQ(safe.try_acquire(), Acquire::acquired);
    std::atomic<bool> begins = false;
    const std::jthread other([&] {
      begins = true;
      EXPECT_EQ(safe.acquire(safe.usual_waiting().at_most(limit)), Acquire::acquired);
      EXPECT_EQ(safe.release(), Release::released);
    });
    core::eventually("it waits", [&] { return begins.load(); });
    const auto then = std::chrono::steady_clock::now() + milliseconds(1);
    core::eventually("some time is over", [&] { return std::chrono::steady_clock::now() > then; });
    EXPECT_EQ(safe.release(), Release::released);
  }
  EXPECT_LT(lock.limit.load(), limit);
}

TEST(FallbackPolicy, RefusesWhatMakesNoSense) {
  EXPECT_THROW((void)WhenAway::wait(milliseconds(0)), std::invalid_argument);
  EXPECT_THROW((void)WhenAway::degrade(milliseconds(-1)), std::invalid_argument);
}

}  // namespace
