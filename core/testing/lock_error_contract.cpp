// Every lock, when its server is gone, refuses a command, or a command or its reply is lost.
#include <gmock/gmock.h>

#include "core/error.h"
#include "core/testing/lock_contract.h"

namespace core {

using core::Acquire;
using core::Release;
using std::chrono::milliseconds;
using testing::AnyOf;

TEST_P(LockContract, ThrowsIfTheServerIsUnreachable) {
  core::Server nobody({.host = {}, .port = 0, .unix_path = "/nonexistent/redis.sock"});
  const auto lock = GetParam().make(nobody, "orders", long_lease);
  EXPECT_THROW((void)lock->try_acquire(), core::Unreachable);
  EXPECT_THROW((void)lock->try_lock_for(milliseconds(50)), core::Unreachable);
}

TEST_P(LockContract, ThrowsIfItCannotBeReleased) {
  const auto lock = make_other();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  redis().kill();
  lock->unlock();
  EXPECT_THROW((void)lock->release(), core::Unreachable);
  lock->unlock();
}

TEST_P(LockContract, ThrowsOnARefusedAcquire) {
  const auto lock = make();
  refuse(GetParam().acquiring.front());
  EXPECT_THROW((void)lock->try_acquire(), core::ErrorReply);
  EXPECT_THROW(lock->lock(), core::ErrorReply);
  accept(GetParam().acquiring.front());
  EXPECT_EQ(lock->release(), Release::not_held);
  EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
}

TEST_P(LockContract, ReleasesAgainAfterARefusedRelease) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  refuse("DEL");
  EXPECT_THROW((void)lock->release(), core::ErrorReply);
  lock->unlock();
  EXPECT_EQ(keys(), 1);
  accept("DEL");
  EXPECT_EQ(lock->release(), Release::released);
}

TEST_P(LockContract, IsNotAcquiredOnAFullServer) {
  const auto lock = make();
  redis().direct().command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_THROW((void)lock->try_acquire(), core::ErrorReply);
  redis().direct().command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(keys(), 0);
  EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
}

TEST_P(LockContract, LeavesAKeyOfAnotherKindAlone) {
  const auto lock = make();
  redis().direct().command({"RPUSH", "orders", "a list"});
  try {
    EXPECT_NE(lock->try_acquire(), Acquire::acquired);
  } catch (const core::ErrorReply&) {  // a script that looks into it
  }
  EXPECT_EQ(redis().direct().command({"LRANGE", "orders", "0", "-1"}).text(0), "a list");
  EXPECT_EQ(keys(), 1);
}

TEST_P(LockContract, ReturnsUnknownForALostAcquire) {
  for (const auto& command : GetParam().acquiring) {
    for (const auto direction : {faults::Direction::command, faults::Direction::reply}) {
      redis().direct().command({"FLUSHDB"});
      const auto lock = make();
      const auto lost = lose(direction, command);
      EXPECT_EQ(lock->try_acquire(), Acquire::unknown) << command;
      EXPECT_TRUE(lost.back().fired());
    }
  }
}

TEST_P(LockContract, ThrowsUnknownWithoutAnOutcome) {
  const auto lock = make();
  link().decide_by([](const faults::Boundary&) { return faults::Action::reset; });
  ASSERT_THROW((void)lock->try_lock(), core::OutcomeUnknown);
  EXPECT_THROW(lock->lock(), core::OutcomeUnknown);
  EXPECT_THROW((void)lock->try_lock_for(milliseconds(5)), core::OutcomeUnknown);
}

TEST_P(LockContract, ReleasesAgainAfterALostCommand) {
  for (const auto& command : GetParam().releasing) {
    const auto lock = make();
    ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
    const auto lost = link().arm({.direction = faults::Direction::command, .command = command},
                                 faults::Action::reset);
    EXPECT_EQ(lock->release(), Release::unknown) << command;
    EXPECT_EQ(keys(), 1);
    EXPECT_EQ(lock->release(), Release::released) << command;
  }
}

TEST_P(LockContract, ReleasesAgainAfterALostReply) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  const auto lost =
      link().arm({.direction = faults::Direction::reply, .command = GetParam().releasing.back()},
                 faults::Action::reset);
  EXPECT_EQ(lock->release(), Release::unknown);
  EXPECT_EQ(keys(), 0);
  EXPECT_THAT(lock->release(), AnyOf(Release::expired, Release::not_held));
  EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
}

}  // namespace core
