// Other people's locks, whose waiters can be interrupted.
#include <fmt/format.h>

#include "faults/testing/foreign_clients.h"

namespace faults {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

class InterruptedLock : public ForeignClients {
 protected:
  static TestedLock interrupted(const std::string& how, std::chrono::milliseconds retry) {
    auto lock = client({"interrupt=" + how, fmt::format("retry_ms={}", retry.count())});
    lock.facts->capabilities.emplace_back("interrupt");
    lock.facts->retry = retry;
    return lock;
  }
  static std::string sentence_about(Property property, const Result& result) {
    for (const auto& finding : result.shown().judgement.findings) {
      if (finding.property == property) return finding.sentence;
    }
    return {};
  }
};

TEST_F(InterruptedLock, LetsTheNextWaiterIn) {
  const auto result =
      run_on("interrupted_waiter", interrupted("obeyed", std::chrono::milliseconds(20)));
  EXPECT_EQ(result.verdict(), Verdict::holds) << result.shown().judgement.sentence();
}

TEST_F(InterruptedLock, WhoseThreadWaitsOnShutsTheNextOneOut) {
  const auto result =
      run_on("interrupted_waiter", interrupted("goes_on", std::chrono::milliseconds(20)));
  EXPECT_THAT(result.broken(), UnorderedElementsAre(Property::liveness, Property::nothing_left))
      << result.shown().judgement.sentence();
  EXPECT_THAT(sentence_about(Property::nothing_left, result), HasSubstr("B's acquire"));
}

TEST_F(InterruptedLock, ThatPromisesItNotIsNotInterrupted) {
  EXPECT_EQ(why_not_applicable(*find_scenario("interrupted_waiter"), client()),
            "not promised: a waiter that can be interrupted");
}

}  // namespace
}  // namespace faults
