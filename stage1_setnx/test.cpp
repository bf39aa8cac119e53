#include <gmock/gmock.h>

#include "core/testing/lock_contract.h"
#include "stage1_setnx/lock.h"

namespace {

using core::Acquire;
using core::LockContract;
using core::Release;
using faults::Action;
using faults::Direction;
using std::chrono::milliseconds;

const core::LockUnderTest stage1_lock{
    .name = "stage1",
    .make = [](auto& server, auto key,
               auto) { return std::make_unique<stage1::Lock>(server, std::move(key)); },
    .acquiring = {"SETNX"},
    .contended = {"SETNX"},
    .releasing = {"DEL"}};

INSTANTIATE_TEST_SUITE_P(Stage1, LockContract, testing::Values(stage1_lock));

using Stage1Acquiring = faults::RedisTest;
using Stage1Releasing = faults::RedisTest;

TEST_F(Stage1Acquiring, SetsAKeyThatNeverGoesAway) {
  stage1::Lock lock(server(), "orders");
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(value("orders"), "held");
  EXPECT_EQ(time_left("orders"), milliseconds(-1));
}

TEST_F(Stage1Acquiring, LeavesAKeyBehindAfterALostReply) {
  stage1::Lock lock(server(), "orders");
  const auto lost = link().arm({.direction = Direction::reply}, Action::reset);
  EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
  EXPECT_EQ(time_left("orders"), milliseconds(-1));
}

TEST_F(Stage1Releasing, FreesAStrangersLock) {
  stage1::Lock holder(redis().direct(), "orders");
  stage1::Lock stranger(server(), "orders");
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  EXPECT_EQ(stranger.release(), Release::released);
  EXPECT_EQ(value("orders"), std::nullopt);
}

}  // namespace
