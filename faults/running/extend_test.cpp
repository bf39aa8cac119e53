// Other people's locks, whose holder can extend its lease.
#include "faults/testing/foreign_clients.h"

namespace faults {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

class ExtendedLock : public ForeignClients {
 protected:
  // A lock that extends in that way.
  static TestedLock extending(const std::string& how) {
    auto lock = client({"extend=" + how});
    lock.facts->capabilities.emplace_back("extend");
    return lock;
  }
};

TEST_F(ExtendedLock, ThatChecksIsNotToldSoTooLate) {
  const auto result = run_on("late_extend", extending("checked"));
  EXPECT_EQ(result.verdict(), Verdict::holds) << result.shown().judgement.why;
  EXPECT_THAT(result.executions, SizeIs(2));
}

TEST_F(ExtendedLock, ThatBelievesALateAnswerIsUntruthful) {
  const auto result = run_on("late_extend", extending("late"));
  EXPECT_THAT(result.broken(), Contains(Property::truthful_outcomes));
  EXPECT_THAT(result.broken(), Contains(Property::mutual_exclusion));
  EXPECT_THAT(result.broken_at(), SizeIs(1));
  EXPECT_THAT(result.broken_at().front(), HasSubstr("before its answer arrived"));
}

TEST_F(ExtendedLock, ThatExtendsWhateverIsThereIsBlamed) {
  const auto result = run_on("late_extend", extending("any"));
  EXPECT_THAT(result.broken(), Contains(Property::owner_only_renewal));
  EXPECT_THAT(result.broken_at().front(), HasSubstr("before it was applied"));
}

TEST_F(ExtendedLock, ThatPromisesItNotIsNotAsked) {
  EXPECT_EQ(why_not_applicable(*find_scenario("late_extend"), client()),
            "not promised: that its holder can extend its lease");
}

}  // namespace
}  // namespace faults
