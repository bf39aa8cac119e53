#include "faults/judging/testing/findings.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> leftovers(const HistoryBuilder& history) {
  return found(Property::nothing_left, history);
}

constexpr auto set_with_a_long_lease = "SET lock a NX PX 60000";

// Another client had the lock; then A's acquire fails, though its command has set the lock.
HistoryBuilder fails(const std::string& outcome = "unknown") {
  HistoryBuilder history;
  history.acquires("B").releases("B").call("A", "acquire").command("A", set_with_a_long_lease);
  return history.server("set").answer("A", "acquire", outcome);
}

TEST(JudgeNothingLeft, SeesALockThatNobodyWants) {
  for (const auto* outcome : {"unknown", "contended", "not_acquired", "error"}) {
    EXPECT_THAT(leftovers(fails(outcome).after(400).is_refused("C")), SizeIs(1)) << outcome;
  }
  EXPECT_THAT(leftovers(fails().after(400).is_refused("C")),
              ElementsAre("A's acquire answered \"unknown\" at 90 ms; its lock on redis still "
                          "stood at 510 ms"));
  EXPECT_THAT(leftovers(fails().after(400).server("expired")),
              ElementsAre("A's acquire answered \"unknown\" at 90 ms; its lock on redis stood "
                          "until its lease ended at 500 ms"));
}

TEST(JudgeNothingLeft, ARollBackMayTakeAMoment) {
  EXPECT_THAT(leftovers(fails().command("A", "DEL lock").server("del").after(400).is_refused("C")),
              IsEmpty());
  EXPECT_THAT(leftovers(fails().after(200).is_refused("C")), IsEmpty());
}

TEST(JudgeNothingLeft, AClientThatGotInMayHaveIt) {
  EXPECT_THAT(leftovers(fails("acquired").after(400).is_refused("C")), IsEmpty());
}

// A renewal may set the lock that was removed from its holder.
TEST(JudgeNothingLeft, AHolderMaySetItsLockAgain) {
  HistoryBuilder history;
  history.acquires("A").server("del").command("A", set_with_a_long_lease).server("set");
  EXPECT_THAT(leftovers(history.reply("A", "OK").after(400).is_refused("C")), IsEmpty());
}

TEST(JudgeNothingLeft, NobodyIsBlamedForWhatCouldNotBeTakenBack) {
  for (const auto what : {fault::killed, fault::frozen, fault::cut_off, fault::unreachable}) {
    EXPECT_THAT(leftovers(fails().fault("A", what).after(400).is_refused("C")), IsEmpty()) << what;
  }
  EXPECT_THAT(leftovers(fails().command("A", "DEL lock").vanishes().after(400).is_refused("C")),
              IsEmpty());
  EXPECT_THAT(leftovers(fails().fault("redis", fault::frozen).after(400).is_refused("C")),
              IsEmpty());
}

TEST(JudgeNothingLeft, AClientThatAsksAgainMayUseIt) {
  auto history = fails().call("A", "acquire").answer("A", "acquire", "acquired");
  EXPECT_THAT(leftovers(history.after(400).is_refused("C")), IsEmpty());
}

TEST(JudgeNothingLeft, SeesThatItIsRenewed) {
  auto history = fails().after(200).command("A", "PEXPIRE lock 60000").server("expire");
  EXPECT_THAT(leftovers(history.reply("A", "1").after(200).is_refused("C")),
              ElementsAre("A's acquire answered \"unknown\" at 90 ms; its lock on redis was "
                          "renewed at 310 ms"));
}

// B is interrupted while it waits, and a thread of it waits on.
TEST(JudgeNothingLeft, SeesTheLockOfAnInterruptedWaiter) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire").answer("B", "acquire", "interrupted");
  history.call("B", "interrupt").answer("B", "interrupt", "interrupted");
  history.releases("A").command("B", set_with_a_long_lease).server("set").server("expire");
  EXPECT_THAT(leftovers(history.reply("B", "OK").after(400).is_refused("C")),
              ElementsAre("B's acquire answered \"interrupted\" at 40 ms, and a late command set "
                          "the lock at 110 ms; its lock on redis still stood at 550 ms"));
}

// A server that stood still sets the lock when its client has given it back.
HistoryBuilder sets_late(bool takes_back) {
  HistoryBuilder history(5);
  history.call("A", "acquire")
      .command_to(5, "A", set_with_a_long_lease)
      .asks("A", {1, 2, 3, 4}, "set");
  history.answer("A", "acquire", "acquired").call("A", "release");
  if (takes_back) history.command_to(5, "A", "DEL lock");
  history.asks("A", {1, 2, 3, 4}, "del", "DEL lock").answer("A", "release", "released");
  history.server_on({5}, "set").reply_from(5, "A");
  if (takes_back) history.server_on({5}, "del").reply_from(5, "A");
  return history.after(400).is_refused("C");
}

TEST(JudgeNothingLeft, SeesALockThatIsSetAfterItsRelease) {
  EXPECT_THAT(leftovers(sets_late(/*takes_back=*/true)), IsEmpty());
  EXPECT_THAT(leftovers(sets_late(/*takes_back=*/false)),
              ElementsAre("A's release answered \"released\" at 280 ms, and a late command set the "
                          "lock at 290 ms; its lock on node5 still stood at 720 ms"));
}

TEST(JudgeNothingLeft, AnUnknownSetterIsNotBlamed) {
  HistoryBuilder history;
  history.acquires("B").releases("B").call("A", "acquire").call("D", "acquire");
  history.command("A", set_with_a_long_lease)
      .command("D", set_with_a_long_lease)
      .server("set")
      .answer("A", "acquire", "unknown");
  EXPECT_THAT(leftovers(history.answer("D", "acquire", "unknown").after(400).is_refused("C")),
              IsEmpty());
}

TEST(JudgeNothingLeft, AStallMayHaveDelayedTheRollBack) {
  auto history = fails().judges(Property::nothing_left).after(400).is_refused("C");
  EXPECT_EQ(judge(history.record).verdict, Verdict::violated);
  history.add("", Kind::stood_still, {{"for_ms", 250}});
  EXPECT_EQ(judge(history.record).verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace faults
