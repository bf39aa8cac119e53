#include <fmt/format.h>
#include <gmock/gmock.h>

#include <stdexcept>

#include "core/testing/eventually.h"
#include "core/testing/lock_contract.h"

namespace core {

using core::Acquire;
using core::Release;
using std::chrono::milliseconds;
using testing::AnyOf;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LeaseContract);

TEST_P(LeaseContract, HasTheLeaseItAskedFor) {
  const auto lock = make();
  const auto sent = sent_during([&] { ASSERT_EQ(lock->try_acquire(), Acquire::acquired); });
  EXPECT_THAT(sent.back(), testing::ContainsRegex(fmt::format(" {}\\b", long_lease.count())));
  EXPECT_LE(time_left("orders"), long_lease);
  EXPECT_GT(time_left("orders"), long_lease / 2);
}

TEST_P(LeaseContract, IsFreeWhenTheLeaseEnds) {
  ASSERT_EQ(make("orders", short_lease)->try_acquire(), Acquire::acquired);
  EXPECT_TRUE(make_other()->try_lock_for(std::chrono::seconds(10)));
  EXPECT_GT(time_left("orders"), long_lease / 2);
}

TEST_P(LeaseContract, IsNotHeldAfterTheLease) {
  const auto lock = make("orders", short_lease);
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  eventually("the lease ends", [&] { return keys() == 0; });
  EXPECT_THAT(lock->release(), AnyOf(Release::expired, Release::not_held));
  EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
}

TEST_P(LeaseContract, ReportsNoLossAfterItsRelease) {
  const auto lock = make("orders", short_lease);
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  const auto lost = lock->lost();
  ASSERT_EQ(lock->release(), Release::released);
  const bool was_lost = lost.stop_requested();  // because the machine stalled
  if (lost.stop_possible()) {                   // this lock can tell of a loss
    const auto later = make("invoices", short_lease);
    ASSERT_EQ(later->try_acquire(), Acquire::acquired);
    const auto told = later->lost();
    eventually("the later hold is told of its loss", [&] { return told.stop_requested(); });
  }
  EXPECT_EQ(lost.stop_requested(), was_lost);
}

TEST_P(LeaseContract, CountsTheLeaseFromItsRequest) {
  const auto lock = make("orders", milliseconds(10'000));
  const auto late =
      link().arm({.direction = faults::Direction::reply}, faults::Action::delay, milliseconds(500));
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  EXPECT_TRUE(late.fired());
  const auto server_says = time_left("orders");
  EXPECT_LE(lock->remaining().value_or(milliseconds(0)), server_says);
}

TEST_P(LeaseContract, RefusesALeaseOfZero) {
  for (const auto lease : {milliseconds(0), milliseconds(-1)}) {
    try {
      (void)make("orders", lease);
      FAIL() << "a lease of " << lease.count() << " ms was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "a lease must be longer than 0 ms");
    }
  }
  EXPECT_NO_THROW((void)make("orders", milliseconds(1)));
}

}  // namespace core
