#include <gmock/gmock.h>

#include <mutex>
#include <optional>

#include "core/error.h"
#include "core/testing/lock_contract.h"

namespace core {

using core::Acquire;
using core::Release;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReentrantContract);

TEST_P(ReentrantContract, IsFreeAfterAnUnansweredInnerUnlock) {
  const auto lock = make();
  for (const auto direction : {faults::Direction::command, faults::Direction::reply}) {
    {
      const std::lock_guard outer(*lock);
      std::optional<std::lock_guard<core::Lock>> inner(*lock);
      const auto lost = link().arm({.direction = direction}, faults::Action::reset);
      inner.reset();
      EXPECT_TRUE(lost.fired());
      EXPECT_EQ(keys(), 1);
    }
    EXPECT_EQ(keys(), 0);
    EXPECT_EQ(lock->release(), Release::not_held);
  }
}

TEST_P(ReentrantContract, IsFreeAfterARefusedInnerUnlock) {
  const auto lock = make();
  {
    const std::lock_guard outer(*lock);
    {
      const std::lock_guard inner(*lock);
      refuse(GetParam().releasing.front());
    }
    accept(GetParam().releasing.front());
  }
  EXPECT_EQ(keys(), 0);
}

TEST_P(ReentrantContract, StartsANewHoldAfterALostRelease) {
  const auto lock = make();
  for (const auto direction : {faults::Direction::command, faults::Direction::reply}) {
    ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
    const auto first = value("orders");
    {
      const auto lost = link().arm({.direction = direction}, faults::Action::reset);
      EXPECT_EQ(lock->release(), Release::unknown);
    }
    EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
    EXPECT_NE(value("orders"), first) << "it entered the hold that it was releasing";
    EXPECT_EQ(lock->release(), Release::released);
    EXPECT_EQ(keys(), 0);
  }
}

TEST_P(ReentrantContract, KeepsItsDepthAfterALostInnerRelease) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  const auto token = value("orders");
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  {
    const auto lost = link().arm({.direction = faults::Direction::reply}, faults::Action::reset);
    EXPECT_EQ(lock->release(), Release::unknown);
  }
  EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
  EXPECT_EQ(value("orders"), token);
  EXPECT_EQ(lock->release(), Release::still_held);
  EXPECT_EQ(lock->release(), Release::released);
}

TEST_P(ReentrantContract, DoesNotWaitForItselfAfterALostRelease) {
  const auto lock = make();
  for (const int levels : {1, 2}) {
    for (int i = 0; i < levels; ++i) ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
    {
      const auto lost =
          link().arm({.direction = faults::Direction::command}, faults::Action::reset);
      EXPECT_EQ(lock->release(), Release::unknown);
    }
    const auto waiting = lock->usual_waiting().at_most(std::chrono::seconds(1));
    EXPECT_EQ(lock->acquire(waiting), Acquire::acquired) << "of a hold of " << levels << " levels";
    for (int i = 1; i < levels; ++i) EXPECT_EQ(lock->release(), Release::still_held);
    EXPECT_EQ(lock->release(), Release::released);
    EXPECT_EQ(keys(), 0);
  }
}

TEST_P(ReentrantContract, ReturnsUnknownUntilItsReleaseIsAnswered) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  {
    const auto first = link().arm({.direction = faults::Direction::command}, faults::Action::reset);
    const auto second =
        link().arm({.direction = faults::Direction::command, .nth = 2}, faults::Action::reset);
    EXPECT_EQ(lock->release(), Release::unknown);
    EXPECT_EQ(lock->try_acquire(), Acquire::unknown);
  }
  EXPECT_EQ(lock->release(), Release::released);
}

TEST_P(ReentrantContract, JoinsNoHoldThatIsOver) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  const auto token = *lock->hold_token();
  ASSERT_EQ(lock->join(token), Acquire::acquired) << "cannot enter its own hold again";
  const auto lost = lock->lost();
  redis().direct().command({"DEL", "orders"});
  EXPECT_EQ(lock->join(token), Acquire::contended);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(keys(), 0);
}

TEST_P(ReentrantContract, KeepsTheLongerLeaseOnReentry) {
  const auto outer = make("orders", long_lease);
  const auto inner = make("orders", long_lease / 4);
  ASSERT_EQ(outer->try_acquire(), Acquire::acquired);
  ASSERT_EQ(inner->try_acquire(), Acquire::acquired);
  EXPECT_GT(inner->remaining(), long_lease / 2);
  EXPECT_GT(time_left("orders"), long_lease / 2);
}

TEST_P(ReentrantContract, JoinsItsOwnHoldForLonger) {
  const auto outer = make("orders", long_lease / 4);
  const auto inner = make("orders", long_lease);
  ASSERT_EQ(outer->try_acquire(), Acquire::acquired);
  ASSERT_EQ(inner->join(*outer->hold_token()), Acquire::acquired);
  EXPECT_GT(outer->remaining(), long_lease / 2);
  EXPECT_GT(time_left("orders"), long_lease / 2);
}

TEST_P(ReentrantContract, CountsAnInnerLeaseFromItsRequest) {
  const auto outer = make("orders", std::chrono::seconds(9));
  const auto inner = make("orders", std::chrono::seconds(10));
  for (const bool joins : {false, true}) {
    ASSERT_EQ(outer->try_acquire(), Acquire::acquired);
    const auto token = *outer->hold_token();
    const auto late = link().arm({.direction = faults::Direction::reply}, faults::Action::delay,
                                 std::chrono::milliseconds(500));
    ASSERT_EQ(joins ? inner->join(token) : inner->try_acquire(), Acquire::acquired);
    EXPECT_TRUE(late.fired());
    const auto server_says = time_left("orders");
    EXPECT_LE(inner->remaining(), server_says);
    EXPECT_EQ(inner->release(), Release::still_held);
    EXPECT_EQ(outer->release(), Release::released);
  }
}

TEST_P(ReentrantContract, CountsAJoinedLeaseFromItsRequest) {
  const auto lock = make("orders", std::chrono::seconds(10));
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  on_another_thread([&, token = *lock->hold_token()] {
    const auto late = link().arm({.direction = faults::Direction::reply}, faults::Action::delay,
                                 std::chrono::milliseconds(500));
    ASSERT_EQ(lock->join(token), Acquire::acquired);
    EXPECT_TRUE(late.fired());
    const auto server_says = time_left("orders");
    EXPECT_LE(lock->remaining(), server_says);
  });
}

TEST_P(ReentrantContract, StartsANewHoldAfterALostUnlock) {
  const auto lock = make();
  for (const auto direction : {faults::Direction::command, faults::Direction::reply}) {
    {
      const std::lock_guard guard(*lock);
      const auto lost = link().arm({.direction = direction}, faults::Action::reset);
      lock->unlock();
      ASSERT_TRUE(lost.fired());
      ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
    }
    EXPECT_EQ(keys(), 0);
  }
}

TEST_P(ReentrantContract, KeepsTheOuterLevelWhenJoinedAfterALoss) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  const auto token = *lock->hold_token();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  {
    const auto lost = link().arm({.direction = faults::Direction::command}, faults::Action::reset);
    EXPECT_EQ(lock->release(), Release::unknown);
  }
  EXPECT_EQ(lock->join(token), Acquire::acquired);
  EXPECT_EQ(lock->release(), Release::still_held);
  EXPECT_EQ(keys(), 1);
  EXPECT_EQ(lock->release(), Release::released);
}

}  // namespace core
