#include "core/lease.h"

#include <gtest/gtest.h>

namespace {

using core::checked_lease;
using std::chrono::milliseconds;

TEST(Lease, IsLongerThanZero) {
  EXPECT_EQ(checked_lease(milliseconds(1)), milliseconds(1));
  EXPECT_THROW((void)checked_lease(milliseconds(0)), std::invalid_argument);
  EXPECT_THROW((void)checked_lease(milliseconds::min()), std::invalid_argument);
}

TEST(Lease, IsAtMostAHundredYears) {
  EXPECT_EQ(checked_lease(core::longest_lease), core::longest_lease);
  EXPECT_THROW((void)checked_lease(core::longest_lease + milliseconds(1)), std::invalid_argument);
  EXPECT_THROW((void)checked_lease(milliseconds::max()), std::invalid_argument);
}

TEST(Lease, LeavesAMarginOfOnePercentAndTwoMs) {
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(core::local_deadline(asked, milliseconds(60'000)) - asked, milliseconds(59'398));
  EXPECT_EQ(core::local_deadline(asked, milliseconds(150)) - asked,
            std::chrono::microseconds(146'500));
}

TEST(Lease, OfAHundredYearsStillEnds) {
  const auto now = std::chrono::steady_clock::now();
  EXPECT_GT(core::local_deadline(now, core::longest_lease), now + std::chrono::years(98));
}

}  // namespace
