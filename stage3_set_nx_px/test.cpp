#include <gmock/gmock.h>

#include <functional>
#include <thread>

#include "core/error.h"
#include "core/testing/lock_contract.h"
#include "stage3_set_nx_px/lock.h"

namespace {

using core::Acquire;
using core::LeaseContract;
using core::LockContract;
using core::OwnerContract;
using core::Release;
using faults::Action;
using faults::Direction;

constexpr std::chrono::milliseconds lease{60'000};

const core::LockUnderTest stage3_lock{
    .name = "stage3",
    .make = [](auto& server, auto key,
               auto time) { return std::make_unique<stage3::Lock>(server, std::move(key), time); },
    .acquiring = {"SET"},
    .contended = {"SET"},
    .releasing = {"GET", "DEL"},
    .not_releasing = {"GET"}};

INSTANTIATE_TEST_SUITE_P(Stage3, LockContract, testing::Values(stage3_lock));
INSTANTIATE_TEST_SUITE_P(Stage3, LeaseContract, testing::Values(stage3_lock));
INSTANTIATE_TEST_SUITE_P(Stage3, OwnerContract, testing::Values(stage3_lock));

using Stage3Acquiring = faults::RedisTest;

// A release during which something happens after GET was answered.
class Stage3Releasing : public faults::RedisTest {
 protected:
  Release release_while(stage3::Lock& lock, const std::function<void()>& meanwhile) {
    auto answered =
        link().arm({.direction = Direction::reply, .command = "GET"}, Action::hold_back);
    lock.lock();
    std::jthread other([&] {
      answered.await(std::chrono::seconds(10));
      meanwhile();
      answered.deliver();
    });
    return lock.release();
  }
};

TEST_F(Stage3Acquiring, SetsTokenAndLeaseInOneStep) {
  stage3::Lock lock(server(), "orders", lease);
  const auto sent = sent_during([&] { ASSERT_EQ(lock.try_acquire(), Acquire::acquired); });
  EXPECT_THAT(sent, testing::ElementsAre(testing::MatchesRegex("SET orders .* NX PX 60000")));
}

TEST_F(Stage3Releasing, ReportsALeaseThatEndedInBetween) {
  stage3::Lock lock(server(), "orders", lease);
  const auto end_lease = [&] { redis().direct().command({"DEL", "orders"}); };
  EXPECT_EQ(release_while(lock, end_lease), Release::expired);
  EXPECT_EQ(lock.release(), Release::not_held);
}

TEST_F(Stage3Releasing, RemovesASuccessorThatCameInBetween) {
  stage3::Lock lock(server(), "orders", lease);
  stage3::Lock successor(redis().direct(), "orders", lease);
  const auto hand_over = [&] {
    redis().direct().command({"DEL", "orders"});
    EXPECT_EQ(successor.try_acquire(), Acquire::acquired);
  };
  EXPECT_EQ(release_while(lock, hand_over), Release::released);
  EXPECT_EQ(keys(), 0);
}

TEST_F(Stage3Releasing, ComparesTheWholeToken) {
  stage3::Lock lock(server(), "orders", lease);
  for (const std::size_t different : {0U, 31U}) {
    ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
    auto similar = *value("orders");
    similar.at(different) = 'x';
    redis().direct().command({"SET", "orders", similar});
    EXPECT_EQ(lock.release(), Release::stolen);
    EXPECT_EQ(value("orders"), similar);
    redis().direct().command({"DEL", "orders"});
  }
}

TEST_F(Stage3Releasing, RefusesAKeyThatIsNoLock) {
  stage3::Lock lock(server(), "orders", lease);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  redis().direct().command({"DEL", "orders"});
  redis().direct().command({"RPUSH", "orders", "a list"});
  EXPECT_THROW((void)lock.release(), core::ErrorReply);
  EXPECT_EQ(keys(), 1);
}

}  // namespace
