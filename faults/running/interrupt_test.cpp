// Locks that somebody else wrote, whose waiters can be interrupted.
#include "faults/testing/foreign_clients.h"

namespace faults {
namespace {

using testing::Contains;

class InterruptedLock : public ForeignClients {
 protected:
  static TestedLock interrupted(const std::string& how) {
    auto lock = client({"interrupt=" + how, "retry_ms=20"});
    lock.facts->capabilities.emplace_back("interrupt");
    lock.facts->retry = std::chrono::milliseconds(20);
    return lock;
  }
};

TEST_F(InterruptedLock, LetsTheNextWaiterIn) {
  const auto result = run_on("interrupted_waiter", interrupted("obeyed"));
  EXPECT_EQ(result.verdict(), Verdict::holds) << result.shown().judgement.sentence();
}

TEST_F(InterruptedLock, WhoseThreadWaitsOnShutsTheNextOneOut) {
  const auto result = run_on("interrupted_waiter", interrupted("goes_on"));
  EXPECT_THAT(result.broken(), Contains(Property::liveness)) << result.shown().judgement.sentence();
}

TEST_F(InterruptedLock, ThatPromisesItNotIsNotInterrupted) {
  EXPECT_EQ(why_not_applicable(*find_scenario("interrupted_waiter"), client()),
            "not promised: a waiter that can be interrupted");
}

}  // namespace
}  // namespace faults
