#include "tools/field/new_violations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/field/testing/small_report.h"

namespace field {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NewViolations, AreThoseThatWereNotThere) {
  const auto before = small_report({"killed_holder", "slow_holder"},
                                   {{.name = "mine", .states = {"documented", "held"}}});
  const auto now = small_report({"killed_holder", "slow_holder"},
                                {{.name = "mine", .states = {"violated", "violated"}}});
  EXPECT_THAT(new_violations(now, before), ElementsAre("mine slow_holder: two were inside."));
  EXPECT_THAT(new_violations(before, now), IsEmpty());
}

TEST(NewViolations, AreThoseOfALockThatWasNotThere) {
  const auto before = small_report({"slow_holder"}, {{.name = "other", .states = {"violated"}}});
  const auto now = small_report({"slow_holder"}, {{.name = "mine", .states = {"violated"}}});
  EXPECT_EQ(new_violations(now, before).size(), 1U);
}

}  // namespace
}  // namespace field
