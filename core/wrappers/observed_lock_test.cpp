#include "core/wrappers/observed_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include "core/testing/scripted_lock.h"
#include "core/wrappers/log_lines.h"

namespace {

using core::Acquire;
using core::ObservedLock;
using core::Release;
using core::ScriptedLock;
using testing::ElementsAre;
using testing::MatchesRegex;

static_assert(core::TimedLockable<ObservedLock>);

class Notes : public core::Observer {
 public:
  void attempted() noexcept override { all.emplace_back("attempted"); }
  void answered(Acquire outcome, Duration /*waited*/) noexcept override {
    all.emplace_back(to_string(outcome));
  }
  void failed() noexcept override { all.emplace_back("failed"); }
  void released(Release outcome, Duration held) noexcept override {
    all.emplace_back(to_string(outcome));
    last_held = held;
  }
  void lost(Duration /*held*/) noexcept override { all.emplace_back("lost"); }

  std::vector<std::string> all;
  Duration last_held{-1};
};

// A lock that a thread can enter again, and lose.
class LosableLock : public core::Lock {
 public:
  Acquire try_acquire() override {
    if (depth_++ == 0) lost_ = {};
    return Acquire::acquired;
  }
  Release release() override { return --depth_ > 0 ? Release::still_held : end_; }
  [[nodiscard]] std::stop_token lost() const override { return lost_.get_token(); }

  // The next acquire begins another hold.
  void begin_anew() { depth_ = 0; }
  void lose() {
    end_ = Release::expired;
    lost_.request_stop();
  }

 private:
  int depth_ = 0;
  Release end_ = Release::released;
  std::stop_source lost_;
};

const auto without_pause = core::Waiting::fixed(std::chrono::milliseconds(1));

TEST(ObservedLockTest, TellsOfAHold) {
  ScriptedLock lock({Acquire::acquired});
  const auto notes = std::make_shared<Notes>();
  ObservedLock observed(lock, notes);
  { const std::lock_guard guard(observed); }
  EXPECT_THAT(notes->all, ElementsAre("attempted", "acquired", "released"));
  EXPECT_GT(notes->last_held.count(), 0);
  EXPECT_EQ(lock.released, 1);
}

TEST(ObservedLockTest, TellsOnceOfAWaitOfManyTries) {
  ScriptedLock lock({Acquire::contended, Acquire::contended, Acquire::acquired});
  const auto notes = std::make_shared<Notes>();
  ObservedLock observed(lock, notes);
  EXPECT_EQ(observed.acquire(without_pause), Acquire::acquired);
  EXPECT_THAT(notes->all, ElementsAre("attempted", "acquired"));
}

TEST(ObservedLockTest, TellsThatAWaiterGaveUp) {
  ScriptedLock lock({Acquire::contended});
  const auto notes = std::make_shared<Notes>();
  ObservedLock observed(lock, notes);
  EXPECT_FALSE(observed.try_lock_for(std::chrono::milliseconds(1)));
  EXPECT_THAT(notes->all, ElementsAre("attempted", "contended"));
}

TEST(ObservedLockTest, TellsOfAServerThatIsAway) {
  core::UnreachableLock lock;
  const auto notes = std::make_shared<Notes>();
  ObservedLock observed(lock, notes);
  EXPECT_THROW(observed.lock(), core::Unreachable);
  EXPECT_THAT(notes->all, ElementsAre("attempted", "failed"));
}

TEST(ObservedLockTest, CountsLevelsAsOneHold) {
  LosableLock lock;
  const auto notes = std::make_shared<Notes>();
  ObservedLock observed(lock, notes);
  observed.lock();
  observed.lock();
  observed.unlock();
  observed.unlock();
  EXPECT_THAT(notes->all,
              ElementsAre("attempted", "acquired", "attempted", "acquired", "released"));
}

TEST(ObservedLockTest, TellsOfALossWhenItHappens) {
  LosableLock lock;
  const auto notes = std::make_shared<Notes>();
  ObservedLock observed(lock, notes);
  observed.lock();
  lock.lose();
  EXPECT_THAT(notes->all, ElementsAre("attempted", "acquired", "lost"));
  observed.unlock();
  EXPECT_EQ(notes->all.back(), "expired");
}

TEST(ObservedLockTest, TellsOfTheLossOfALaterHold) {
  LosableLock lock;
  const auto notes = std::make_shared<Notes>();
  ObservedLock observed(lock, notes);
  observed.lock();
  lock.begin_anew();
  observed.lock();
  lock.lose();
  EXPECT_EQ(notes->all.back(), "lost");
}

TEST(ObservedLockTest, CountsAHoldUntilItsReleaseIsAnswered) {
  struct SilentOnce : ScriptedLock {
    SilentOnce() : ScriptedLock({Acquire::acquired}) {}
    Release release() override { return ++released == 1 ? Release::unknown : Release::released; }
  } lock;
  const auto notes = std::make_shared<Notes>();
  ObservedLock observed(lock, notes);
  observed.lock();
  EXPECT_EQ(observed.release(), Release::unknown);
  EXPECT_EQ(observed.release(), Release::released);
  EXPECT_GT(notes->last_held.count(), 0);
}

TEST(ObservedLockTest, TellsOfNoLossAfterTheRelease) {
  LosableLock lock;
  const auto notes = std::make_shared<Notes>();
  ObservedLock observed(lock, notes);
  { const std::lock_guard guard(observed); }
  lock.lose();
  EXPECT_EQ(notes->all.back(), "released");
}

TEST(LogLinesTest, WritesALineForEachEvent) {
  std::ostringstream out;
  ScriptedLock lock({Acquire::acquired});
  ObservedLock observed(lock, std::make_shared<core::LogLines>("orders", out));
  { const std::lock_guard guard(observed); }
  EXPECT_THAT(out.str(), MatchesRegex("lock=orders event=acquired waited_ms=[0-9.]+\n"
                                      "lock=orders event=released held_ms=[0-9.]+\n"));
}

TEST(LogLinesTest, LeavesRenewalsThatSucceedOut) {
  std::ostringstream out;
  core::LogLines lines("orders", out);
  lines.renewed(true);
  EXPECT_EQ(out.str(), "");
  lines.renewed(false);
  EXPECT_EQ(out.str(), "lock=orders event=renewal_failed\n");
}

}  // namespace
