#include "faults/judging/testing/findings.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> lost_writes(const HistoryBuilder& history) {
  return found(Property::mutual_exclusion, history);
}
std::vector<std::string> strangers(const HistoryBuilder& history) {
  return found(Property::owner_only_release, history);
}

TEST(JudgeMutualExclusion, SeesAWriteThatWasLost) {
  // A read before B wrote, and wrote after.
  HistoryBuilder history;
  history.judges(Property::mutual_exclusion);
  history.acquires("A").reads("A", 0).acquires("B").works("B", 0).writes("A", 1);
  EXPECT_THAT(lost_writes(history),
              ElementsAre("B's write at 90 ms was overwritten by A at 110 ms, which still built on "
                          "what it had read at 30 ms"));
  const auto judgement = judge(history.record);
  ASSERT_THAT(judgement.findings, SizeIs(1));
  const Trace trace(history.record);
  EXPECT_THAT(judgement.findings[0].evidence, ElementsAre(10U, 12U));
  EXPECT_EQ(trace.record[10].process, "B");
  EXPECT_EQ(trace.record[12].process, "A");
  EXPECT_THAT(judgement.findings[0].inside, ElementsAre("B", "A"));
}

TEST(JudgeMutualExclusion, SeesAWriterThatNeverRead) {
  EXPECT_THAT(lost_writes(HistoryBuilder().acquires("A").works("A", 0).writes("B", 7)), SizeIs(1));
}

// B reads and writes, and is killed or thrown out before its work is answered.
HistoryBuilder& writes_and_is_gone(HistoryBuilder& history, const std::string& end) {
  history.call("B", "work").reads("B", 0).writes("B", 1);
  return end.empty() ? history.fault("B", fault::killed) : history.answer("B", "work", end);
}

TEST(JudgeMutualExclusion, SeesTheLostWriteOfADeadClient) {
  for (const auto* end : {"", "abandoned"}) {
    HistoryBuilder history;
    history.acquires("A").reads("A", 0).server("expired").acquires("B");
    writes_and_is_gone(history, end).writes("A", 1);
    EXPECT_THAT(lost_writes(history), ElementsAre(HasSubstr("was overwritten by A"))) << end;
  }
}

TEST(JudgeMutualExclusion, SeesTheStaleWriteOfADeadClient) {
  for (const auto* end : {"", "abandoned"}) {
    HistoryBuilder history;
    history.acquires("B").call("B", "work").reads("B", 0).server("expired");
    history.acquires("A").works("A", 0).writes("B", 1);
    end == std::string() ? history.fault("B", fault::killed) : history.answer("B", "work", end);
    EXPECT_THAT(lost_writes(history), ElementsAre(HasSubstr("was overwritten by B"))) << end;
  }
}

TEST(JudgeMutualExclusion, TwoBelieversWhoLoseNoWriteAreNoViolation) {
  EXPECT_THAT(lost_writes(HistoryBuilder().acquires("A").acquires("B").works("A", 0).works("B", 1)),
              IsEmpty());
}

TEST(JudgeMutualExclusion, ARefusedWriteDoesNoHarm) {
  EXPECT_THAT(
      lost_writes(HistoryBuilder().acquires("A").reads("A", 0).works("B", 0).writes("A", 1, false)),
      IsEmpty());
}

TEST(JudgeMutualExclusion, ARefusedWriteCannotBeLost) {
  EXPECT_THAT(
      lost_writes(
          HistoryBuilder().acquires("A").reads("A", 0).writes("B", 1, false).writes("A", 1)),
      IsEmpty());
}

TEST(JudgeMutualExclusion, AClientMayOverwriteItself) {
  EXPECT_THAT(
      lost_writes(HistoryBuilder().acquires("A").reads("A", 0).writes("A", 1).writes("A", 2)),
      IsEmpty());
}

TEST(JudgeMutualExclusion, AccountsAreApart) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).add(
      "B", Kind::storage,
      {{"what", "write"}, {"account", "other"}, {"value", 1}, {"accepted", true}});
  EXPECT_THAT(lost_writes(history.writes("A", 1)), IsEmpty());
}

TEST(JudgeMutualExclusion, AReadOfAnotherAccountIsNoFreshRead) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).works("B", 0).add(
      "A", Kind::storage, {{"what", "read"}, {"account", "other"}, {"value", 0}});
  EXPECT_THAT(lost_writes(history.writes("A", 1)), SizeIs(1));
}

TEST(JudgeOwnerOnlyRelease, SeesAStranger) {
  HistoryBuilder history;
  history.acquires("A").call("B", "release").server("del").answer("B", "release", "released");
  EXPECT_THAT(strangers(history),
              ElementsAre("at 40 ms B removed the lock that A had taken at 10 ms and not given "
                          "back"));
}

TEST(JudgeOwnerOnlyRelease, SeesALateOwnerRemoveItsSuccessorsLock) {
  HistoryBuilder history;
  history.acquires("A").server("expired").acquires("B").releases("A");
  EXPECT_THAT(strangers(history), ElementsAre(HasSubstr("A removed the lock that B had taken")));
}

// B enters A's hold by its token; the token of another hold makes it no part of this one.
TEST(JudgeOwnerOnlyRelease, WhoJoinedAHoldMayRemoveIt) {
  const auto joined_by = [](const char* token) {
    HistoryBuilder history;
    history.acquires("A");
    history.record.back().data["token"] = "787b";
    history.call("B", "acquire", {{"join", token}}).answer("B", "acquire", "acquired");
    return history.call("A", "release").answer("A", "release", "still_held").releases("B");
  };
  EXPECT_THAT(strangers(joined_by("787b")), IsEmpty());
  // The token of a hold that has ended.
  HistoryBuilder late;
  late.acquires("A");
  late.record.back().data["token"] = "787b";
  late.releases("A").acquires("A");
  late.record.back().data["token"] = "c40e";
  late.call("B", "acquire", {{"join", "787b"}}).answer("B", "acquire", "acquired").releases("B");
  EXPECT_THAT(strangers(late), ElementsAre(HasSubstr("B removed the lock that A had taken")));
  EXPECT_THAT(strangers(joined_by("0af3")),
              ElementsAre(HasSubstr("B removed the lock that A had taken")));
}

// B's reply is seen only when A has the lock again, and C removes that.
TEST(JudgeOwnerOnlyRelease, OneCommandAccountsForOneRemoval) {
  HistoryBuilder history;
  history.acquires("A").call("B", "release").command("B", "DEL lock").server("del");
  history.acquires("A").reply("B", "1").call("C", "release").command("C", "DEL lock").server("del");
  EXPECT_THAT(strangers(history), ElementsAre(HasSubstr("B removed"), HasSubstr("C removed")));
}

TEST(JudgeOwnerOnlyRelease, NobodyIsAccusedOfASecondRemoval) {
  HistoryBuilder history;
  history.acquires("A").call("B", "release").command("B", "DEL lock").server("del");
  history.acquires("A").reply("B", "1").server("del").answer("B", "release", "released");
  EXPECT_THAT(strangers(history), ElementsAre(HasSubstr("B removed"), HasSubstr("somebody")));
}

TEST(JudgeOwnerOnlyRelease, ADelThatDeletedNothingIsNobodys) {
  HistoryBuilder history;
  history.call("B", "release").command("B", "DEL lock").acquires("A").reply("B", "0");
  history.call("C", "release").command("C", "DEL lock").server("del");
  EXPECT_THAT(strangers(history), ElementsAre(HasSubstr("C removed")));
}

// An earlier try of B's, which B's program had given up, has set the lock: the next one undoes
// that.
TEST(JudgeOwnerOnlyRelease, ALibraryMayUndoItsOwnTry) {
  HistoryBuilder history;
  history.call("B", "acquire").command("B", "SET lock b NX").answer("B", "acquire", "not_acquired");
  history.call("B", "acquire").server("set").reply("B", "OK").command("B", "DEL lock");
  history.server("del").reply("B", "1").command("B", "SET lock b NX").server("set");
  history.reply("B", "OK").answer("B", "acquire", "acquired");
  EXPECT_THAT(strangers(history), IsEmpty());
}

TEST(JudgeOwnerOnlyRelease, SeesARemovalByNobodyKnown) {
  EXPECT_THAT(strangers(HistoryBuilder().acquires("A").server("del")),
              ElementsAre(HasSubstr("somebody removed the lock that A had taken")));
}

TEST(JudgeOwnerOnlyRelease, AnOwnerAndTheEndOfALeaseMayRemoveIt) {
  EXPECT_THAT(
      strangers(HistoryBuilder().acquires("A").releases("A").acquires("B").server("expired")),
      IsEmpty());
}

TEST(JudgeOwnerOnlyRelease, AnOwnerThatUnwindsOrStopsMayRemoveIt) {
  EXPECT_THAT(strangers(HistoryBuilder()
                            .acquires("A")
                            .call("A", "work")
                            .server("del")
                            .answer("A", "work", "abandoned")
                            .acquires("B")
                            .fault("B", fault::terminated)
                            .server("del")),
              IsEmpty());
}

TEST(JudgeOwnerOnlyRelease, LooksAtEachServer) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").call("B", "release").asks("B", {2}, "del", "DEL lock");
  EXPECT_THAT(strangers(history), ElementsAre(HasSubstr("B removed the lock that A had taken")));
}

TEST(JudgeOwnerOnlyRelease, FindsTheRemoverThatWasAnsweredBefore) {
  HistoryBuilder history(5);
  history.call("A", "release").call("B", "acquire").asks("B", {2}, "set");
  history.command_to(2, "B", "DEL lock").reply_from(2, "B").server_on({2}, "del");
  EXPECT_THAT(strangers(history), IsEmpty());
}

TEST(JudgeOwnerOnlyRelease, FindsTheRemoverOnANewMaster) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").call("B", "acquire");
  history.add("B", Kind::command, {{"to", "replica"}, {"text", "SET lock"}});
  history.add("B", Kind::reply, {{"from", "replica"}, {"command", "SET"}, {"text", "OK"}});
  for (const auto* what : {"set", "del"}) {
    history.add("replica", Kind::server, {{"what", what}, {"key", "lock"}});
  }
  EXPECT_THAT(strangers(history), IsEmpty());
}

TEST(JudgeFirstCome, CountsTheClientsThatWait) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire", {{"wait_ms", 900}});
  history.call("C", "acquire", {{"wait_ms", 900}}).call("D", "acquire", {{"wait_ms", 0}});
  history.answer("D", "acquire", "acquired");
  EXPECT_THAT(found(Property::first_come, history), IsEmpty());
  history.answer("C", "acquire", "acquired");
  EXPECT_THAT(found(Property::first_come, history), SizeIs(1));
  history.answer("B", "acquire", "acquired");
  EXPECT_THAT(found(Property::first_come, history), SizeIs(1));
}

}  // namespace
}  // namespace faults
