#include <gmock/gmock.h>

#include <future>

#include "core/testing/lock_contract.h"
#include "stage2_expire/lock.h"

namespace {

using core::Acquire;
using core::LeaseContract;
using core::LockContract;
using core::Release;
using faults::Action;
using faults::Direction;
using std::chrono::milliseconds;

constexpr milliseconds lease{60'000};

const core::LockUnderTest stage2_lock{
    .name = "stage2",
    .make = [](auto& server, auto key,
               auto time) { return std::make_unique<stage2::Lock>(server, std::move(key), time); },
    .acquiring = {"SETNX", "PEXPIRE"},
    .contended = {"SETNX"},
    .releasing = {"DEL"}};

INSTANTIATE_TEST_SUITE_P(Stage2, LockContract, testing::Values(stage2_lock));
INSTANTIATE_TEST_SUITE_P(Stage2, LeaseContract, testing::Values(stage2_lock));

using Stage2Acquiring = faults::RedisTest;
using Stage2Releasing = faults::RedisTest;

TEST_F(Stage2Acquiring, LeasesTheKeyItSet) {
  stage2::Lock lock(server(), "orders", lease);
  const auto sent = sent_during([&] { ASSERT_EQ(lock.try_acquire(), Acquire::acquired); });
  EXPECT_THAT(sent, testing::ElementsAre("SETNX orders held", "PEXPIRE orders 60000"));
  EXPECT_EQ(value("orders"), "held");
}

TEST_F(Stage2Acquiring, IsContendedIfTheKeyGoesInBetween) {
  stage2::Lock lock(server(), "orders", lease);
  auto answered =
      link().arm({.direction = Direction::reply, .command = "SETNX"}, Action::hold_back);
  auto outcome = std::async(std::launch::async, [&] { return lock.try_acquire(); });
  answered.await(std::chrono::seconds(10));
  redis().direct().command({"DEL", "orders"});
  answered.deliver();
  EXPECT_EQ(outcome.get(), Acquire::contended);
  EXPECT_EQ(keys(), 0);
}

TEST_F(Stage2Acquiring, LeavesNoLeaseAfterALostFirstReply) {
  stage2::Lock lock(server(), "orders", lease);
  const auto lost = link().arm({.direction = Direction::reply, .command = "SETNX"}, Action::reset);
  EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
  EXPECT_EQ(time_left("orders"), milliseconds(-1));
}

TEST_F(Stage2Acquiring, LeavesALeaseAfterALostSecondReply) {
  stage2::Lock lock(server(), "orders", lease);
  const auto lost =
      link().arm({.direction = Direction::reply, .command = "PEXPIRE"}, Action::reset);
  EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
  EXPECT_GT(time_left("orders"), lease / 2);
}

TEST_F(Stage2Releasing, FreesAStrangersLock) {
  stage2::Lock holder(redis().direct(), "orders", lease);
  stage2::Lock stranger(server(), "orders", lease);
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  EXPECT_EQ(stranger.release(), Release::released);
  EXPECT_EQ(value("orders"), std::nullopt);
}

}  // namespace
