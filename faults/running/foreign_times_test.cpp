// Other people's locks, with times of their own: leases, limits and patience follow from their
// facts.
#include "faults/testing/foreign_clients.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::SizeIs;

class ForeignTimes : public ForeignClients {
 protected:
  static TestedLock with(TestedLock stage, const Unanswered& unanswered) {
    stage.facts->unanswered = unanswered;
    return stage;
  }
};

// A client that sends its command again after 2 s, when the lab's lease of 1.5 s has expired. Its
// users use no longer lease: on a slow machine the lab would, and then nothing is shown.
TEST_F(ForeignTimes, OfALostReplyMakeTheLeaseLonger) {
  auto slow = client({"resend_ms=2000"});
  slow.facts->users_longest_lease = milliseconds(1'500);
  const auto result = run_on("reply_lost_acquire", slow);
  EXPECT_EQ(result.verdict(), Verdict::not_exercised);
  EXPECT_THAT(result.shown().judgement.sentence(), HasSubstr("when the lease of 1500 ms was over"));
  EXPECT_EQ(run_on("reply_lost_acquire", with(slow, {.after = milliseconds(2'000)})).verdict(),
            Verdict::holds);
}

TEST_F(ForeignTimes, OfAServerThatIsGoneBoundAnAcquire) {
  const auto slow = client({"gone_ms=6000"});
  EXPECT_EQ(run_on("majority_down", slow).verdict(), Verdict::holds);  // nothing is known
  const auto known = [&](int gone) {
    return run_on("majority_down", with(slow, {.gone_after = milliseconds(gone)}));
  };
  EXPECT_EQ(known(6'000).verdict(), Verdict::holds);
  EXPECT_THAT(known(1'000).shown().judgement.sentence(),
              HasSubstr("A's acquire had to end within 5000 ms"));
}

// It waits 2 s for each of two dead servers: longer than a lock without such times may wait at all.
TEST_F(ForeignTimes, OfATryMakeTheWaiterPatient) {
  auto slow = client({"quorum=yes", "gone_ms=2000", "retry_ms=100"});
  slow.nodes = 5;
  slow.facts->retry = milliseconds(100);
  EXPECT_EQ(
      run_on("killed_mid_acquire", with(slow, {.gone_after = milliseconds(2'000), .in_turn = true}))
          .verdict(),
      Verdict::holds);
}

// B hears for longer than A's lease of 300 ms that the lock is taken. A counts its levels itself.
TEST_F(ForeignTimes, OfASlowRefusalDoNotBlameTheHolder) {
  auto slow = client({"depth=counted", "refused_ms=400", "more=reentrant"});
  slow.facts->capabilities.emplace_back("reentrant");
  const auto result = run_on("nested_lock", slow);
  EXPECT_EQ(result.verdict(), Verdict::holds) << result.shown().judgement.sentence();
}

TEST_F(ForeignTimes, NeverEndingAreNotJudgedOnDeadServers) {
  auto stuck = client({"quorum=yes", "gone_ms=600000"});
  stuck.nodes = 5;
  const auto result =
      run_on("command_lost_release", with(stuck, {.gone_after = Unanswered::never}));
  EXPECT_EQ(result.verdict(), Verdict::holds);
  EXPECT_THAT(result.executions, SizeIs(1));
  EXPECT_THAT(result.left_out, HasSubstr("at which other servers are dead"));
}

}  // namespace
}  // namespace faults
