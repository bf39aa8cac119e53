#include <gmock/gmock.h>

#include "core/testing/eventually.h"
#include "core/testing/lock_contract.h"

namespace core {

using core::Acquire;
using core::Release;
using testing::AnyOf;
using testing::ElementsAreArray;
using testing::IsEmpty;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OwnerContract);

TEST_P(OwnerContract, HasANewTokenForEachHold) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  const auto first = value("orders");
  EXPECT_THAT(*first, testing::MatchesRegex("[0-9a-f]{32}"));
  ASSERT_EQ(lock->release(), Release::released);
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  EXPECT_NE(value("orders"), first);
}

TEST_P(OwnerContract, ReportsThatItsLeaseEnded) {
  const auto lock = make("orders", short_lease);
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  eventually("the lease ends", [&] { return keys() == 0; });
  const auto release = [&] { EXPECT_EQ(lock->release(), Release::expired); };
  EXPECT_THAT(names_during(release), ElementsAreArray(GetParam().not_releasing));
  EXPECT_EQ(lock->release(), Release::not_held);
}

TEST_P(OwnerContract, LeavesASuccessorsLockAlone) {
  const auto late = make("orders", short_lease);
  ASSERT_EQ(late->try_acquire(), Acquire::acquired);
  const auto successor = make_other();
  ASSERT_TRUE(successor->try_lock_for(std::chrono::seconds(10)));
  const auto token = value("orders");
  const auto release = [&] { EXPECT_EQ(late->release(), Release::stolen); };
  EXPECT_THAT(names_during(release), ElementsAreArray(GetParam().not_releasing));
  EXPECT_EQ(late->release(), Release::not_held);
  EXPECT_EQ(value("orders"), token);
  EXPECT_EQ(successor->release(), Release::released);
}

TEST_P(OwnerContract, SendsNothingWhenNothingIsHeld) {
  const auto holder = make_other();
  ASSERT_EQ(holder->try_acquire(), Acquire::acquired);
  const auto lock = make();
  EXPECT_THAT(sent_during([&] { EXPECT_EQ(lock->release(), Release::not_held); }), IsEmpty());
  EXPECT_EQ(lock->try_acquire(), Acquire::contended);
  EXPECT_THAT(sent_during([&] { EXPECT_EQ(lock->release(), Release::not_held); }), IsEmpty());
  EXPECT_EQ(holder->release(), Release::released);
}

TEST_P(OwnerContract, IsNotReleasedByAnotherThread) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  on_another_thread([&] {
    EXPECT_EQ(lock->release(), Release::not_held);
    lock->unlock();
  });
  EXPECT_EQ(keys(), 1);
  EXPECT_EQ(lock->release(), Release::released);
}

TEST_P(OwnerContract, IsNotLostByAContendedTry) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  on_another_thread([&] { EXPECT_EQ(lock->try_acquire(), Acquire::contended); });
  if (!GetParam().reentrant) {
    EXPECT_EQ(lock->try_acquire(), Acquire::contended);
  }
  EXPECT_EQ(lock->release(), Release::released);
}

TEST_P(OwnerContract, IsANewHoldAfterTheLeaseEnded) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  redis().direct().command({"DEL", "orders"});
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  EXPECT_EQ(lock->release(), Release::released);
  EXPECT_THAT(lock->release(), AnyOf(Release::not_held, Release::expired));
}

TEST_P(OwnerContract, RollsBackAfterALostReply) {
  const auto lock = make();
  for (const auto direction : {faults::Direction::command, faults::Direction::reply}) {
    const auto lost = lose(direction, GetParam().acquiring.back());
    EXPECT_EQ(lock->try_acquire(), Acquire::unknown);
    EXPECT_EQ(keys(), 0);
    EXPECT_THAT(sent_during([&] { EXPECT_EQ(lock->release(), Release::not_held); }), IsEmpty());
  }
  EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
}

TEST_P(OwnerContract, RollsBackOnlyItsOwnHold) {
  const auto holder = make_other();
  ASSERT_EQ(holder->try_acquire(), Acquire::acquired);
  const auto token = value("orders");
  const auto lost = lose(faults::Direction::reply, GetParam().acquiring.back());
  EXPECT_EQ(make()->try_acquire(), Acquire::unknown);
  EXPECT_EQ(value("orders"), token);
  EXPECT_EQ(holder->release(), Release::released);
}

TEST_P(OwnerContract, ReturnsUnknownIfItCannotRollBack) {
  refuse("DEL");
  {
    const auto lost = lose(faults::Direction::reply, GetParam().acquiring.back());
    EXPECT_EQ(make()->try_acquire(), Acquire::unknown);
  }
  EXPECT_EQ(keys(), 1);
  link().decide_by([](const faults::Boundary&) { return faults::Action::reset; });
  EXPECT_EQ(make("invoices")->try_acquire(), Acquire::unknown);
}

}  // namespace core
