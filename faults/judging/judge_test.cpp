#include "faults/judging/judge.h"

#include "faults/judging/testing/findings.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/kit_test.h"

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
std::vector<std::string> shut_out(const HistoryBuilder& history) {
  return found(Property::liveness, history);
}

HistoryBuilder one_after_the_other() {
  return HistoryBuilder()
      .acquires("A")
      .works("A", 0)
      .releases("A")
      .acquires("B")
      .works("B", 1)
      .releases("B");
}

TEST(Judge, HoldsWhenOneComesAfterTheOther) {
  const auto judgement = judge(one_after_the_other().record);
  EXPECT_EQ(judgement.verdict, Verdict::holds);
  EXPECT_THAT(judgement.findings, IsEmpty());
  EXPECT_EQ(judgement.sentence(), "every property stood");
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
  EXPECT_THAT(judgement.findings[0].evidence, ElementsAre(9U, 11U));
  EXPECT_EQ(trace.events[9].lane, "B");
  EXPECT_EQ(trace.events[11].lane, "A");
  EXPECT_THAT(judgement.findings[0].inside, ElementsAre("B", "A"));
}

TEST(JudgeMutualExclusion, SeesAWriterThatNeverRead) {
  EXPECT_THAT(lost_writes(HistoryBuilder().acquires("A").works("A", 0).writes("B", 7)), SizeIs(1));
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

TEST(JudgeLiveness, SeesWhoNeverGotIn) {
  HistoryBuilder history;
  history.acquires("A").fault("A", fault::killed);
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  history.answer("B", "acquire", "contended");
  // Who gives up before has not tried for longer.
  EXPECT_THAT(shut_out(history), ElementsAre("B tried for 10 ms, and never got in: the lock that A "
                                             "left behind was never freed"));
  history.record.back().at += std::chrono::milliseconds(2'400);
  EXPECT_THAT(shut_out(history),
              ElementsAre("B tried for 2400 ms, 8 leases long, and never got in: the lock that A "
                          "left behind was never freed"));
}

TEST(JudgeLiveness, SeesWhoWasNeverAnswered) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  EXPECT_THAT(shut_out(history), SizeIs(1));
}

TEST(JudgeLiveness, BlamesNoLockForServersThatAnswerAfterItsLease) {
  HistoryBuilder history;
  history.record[0].data["lease_ms"] = 15;
  history.acquires("A").fault("A", fault::killed);
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}})
      .command("B", "SET lock");
  auto late = history;
  late.server("expired").server("set").reply("B", "OK").answer("B", "acquire", "unknown");
  EXPECT_EQ(judge(late.record).verdict, Verdict::inconclusive);
  auto in_time = history;
  in_time.reply("B", "OK").server("expired").server("set").answer("B", "acquire", "unknown");
  EXPECT_EQ(judge(in_time.record).verdict, Verdict::violated);
}

TEST(JudgeLiveness, IsSatisfiedByWhoGotInAndByWhoNeedNot) {
  HistoryBuilder history;
  history.acquires("A").is_refused("C").server("expired");
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}}).server("set");
  EXPECT_THAT(shut_out(history.answer("B", "acquire", "acquired")), IsEmpty());
}

TEST(JudgeOwnerOnlyRelease, LooksAtEachServer) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").call("B", "release").asks("B", {2}, "del", "DEL lock");
  EXPECT_THAT(strangers(history), ElementsAre(HasSubstr("B removed the lock that A had taken")));
}

TEST(JudgeOwnerOnlyRelease, KnowsWhoItWasWhenTheAnswerComesBeforeTheAnnouncement) {
  HistoryBuilder history(5);
  history.call("A", "release").call("B", "acquire").asks("B", {2}, "set");
  history.command_to(2, "B", "DEL lock").reply_from(2, "B").server_on({2}, "del");
  EXPECT_THAT(strangers(history), IsEmpty());
}

TEST(JudgeOwnerOnlyRelease, KnowsWhoAskedAReplicaThatTookOver) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").call("B", "acquire");
  history.add("B", Kind::command, {{"to", "replica"}, {"text", "SET lock"}});
  history.add("B", Kind::reply, {{"from", "replica"}, {"command", "SET"}, {"text", "OK"}});
  for (const auto* what : {"set", "del"}) {
    history.add("replica", Kind::server, {{"what", what}, {"key", "lock"}});
  }
  EXPECT_THAT(strangers(history), IsEmpty());
}

TEST(JudgeHolderWasTold, OfTheEndOfItsMajority) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").server_on({1, 2}, "expired");
  EXPECT_THAT(found(Property::holder_was_told, history), IsEmpty());
  history.server_on({3, 4, 5}, "expired");
  EXPECT_THAT(found(Property::holder_was_told, history),
              ElementsAre(HasSubstr("A's lease ended at 190 ms, and it was never told")));
}

TEST(JudgeHolderWasTold, OfThisLockAndNotOfAnother) {
  const auto told_of = [](const std::string& key) {
    HistoryBuilder history;
    history.acquires("A").add("A", Kind::told, {{"event", "lost"}, {"key", key}}).server("expired");
    return found(Property::holder_was_told, history);
  };
  EXPECT_THAT(told_of("lock"), IsEmpty());
  EXPECT_THAT(told_of("another"), SizeIs(1));
}

// A third of the lease is what a machine may cost that stands still for less than is noticed.
TEST(JudgeHolderWasTold, ALittleLateMayBeTheMachine) {
  const auto told_150_ms_late = [](int lease_ms) {
    HistoryBuilder history;
    history.judges(Property::holder_was_told).acquires("A").server("expired");
    history.record[0].data["lease_ms"] = lease_ms;
    for (int i = 0; i < 14; ++i) history.add("D", Kind::ready, nlohmann::json::object());
    history.add("A", Kind::told, {{"event", "lost"}});
    return judge(history.record).verdict;
  };
  EXPECT_EQ(told_150_ms_late(300), Verdict::violated);
  EXPECT_EQ(told_150_ms_late(900), Verdict::inconclusive);
}

TEST(JudgeOwnerOnlyRenewal, LooksAtWhoAsksThatServer) {
  HistoryBuilder history(3);
  history.acquires_on({1, 2, 3}, "A").command_to(2, "B").server_on({3}, "expire");
  EXPECT_THAT(found(Property::owner_only_renewal, history), IsEmpty());
  EXPECT_THAT(found(Property::owner_only_renewal, history.server_on({2}, "expire")), SizeIs(1));
}

TEST(JudgeOwnerOnlyRenewal, WhatNeverArrivesIsNobodysRenewal) {
  HistoryBuilder history;
  history.acquires("A").command("A", "EVALSHA renew").vanishes();
  history.command("B", "EVALSHA renew").server("expire");
  EXPECT_THAT(found(Property::owner_only_renewal, history), SizeIs(1));
  HistoryBuilder other;
  other.acquires("A").command("B", "EVALSHA renew").vanishes().server("expire");
  EXPECT_THAT(found(Property::owner_only_renewal, other), IsEmpty());
}

TEST(JudgeOwnerOnlyRenewal, WhatIsHeldOnItsWayHasNotArrived) {
  const nlohmann::json at_the_server{{"side", "command"}, {"server", "redis"}};
  const auto told = [&](std::string_view what) {
    auto data = at_the_server;
    data["what"] = what;
    return data;
  };
  HistoryBuilder history;
  history.acquires("A").command("B", "EVALSHA renew").add("B", Kind::fault, told(fault::held));
  EXPECT_THAT(found(Property::owner_only_renewal, history.server("expire")), IsEmpty());
  history.add("B", Kind::fault, told(fault::delivered)).server("expire");
  EXPECT_THAT(found(Property::owner_only_renewal, history), SizeIs(1));
}

TEST(JudgeOwnerOnlyRenewal, AnOwnerThatTakesItAgainMaySetTheLease) {
  HistoryBuilder history;
  history.acquires("A").command("B", "SET lock").call("A", "acquire").server("expire");
  EXPECT_THAT(found(Property::owner_only_renewal, history.answer("A", "acquire", "acquired")),
              IsEmpty());
}

TEST(JudgeFirstCome, LooksAtWhoOfThoseWhoWaitAskedFirst) {
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

TEST(JudgeBoundedRenewal, CountsWhatOneServerGets) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").asks("A", five, "expire").asks("A", five, "expire");
  EXPECT_THAT(found(Property::bounded_renewal, history), IsEmpty());
  for (int i = 0; i < 9; ++i) history.asks("A", {1}, "expire");
  EXPECT_THAT(found(Property::bounded_renewal, history), SizeIs(1));
}

TEST(JudgeLiveness, SeesWhatTookTooLong) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire", {{"must_end_within_ms", 15}});
  EXPECT_THAT(shut_out(HistoryBuilder(history).answer("B", "acquire", "error")), IsEmpty());
  EXPECT_THAT(shut_out(history), ElementsAre("B's acquire had to end within 15 ms, and never did"));
  EXPECT_THAT(shut_out(history.command("B", "x").answer("B", "acquire", "contended")),
              ElementsAre("B's acquire had to end within 15 ms, and took 20 ms"));
  EXPECT_EQ(judge(history.record).verdict, Verdict::violated);
  history.add("", Kind::stood_still, {{"for_ms", 10}});
  EXPECT_EQ(judge(history.record).verdict, Verdict::inconclusive);
}

TEST(JudgeLiveness, NamesWhoWasNotAnswered) {
  HistoryBuilder history(5);
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  EXPECT_THAT(shut_out(history.answer("B", "acquire", "error").acquires_on(five, "A")),
              ElementsAre("B never got in: it asked, and was not answered"));
  HistoryBuilder held(5);
  held.acquires_on(five, "A").call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  EXPECT_THAT(shut_out(held.answer("B", "acquire", "unknown")),
              ElementsAre("B never got in: after 10 ms it answered \"unknown\""));
}

TEST(JudgeNeeds, ALockThatOnlyAMinorityHeldIsNotExercised) {
  HistoryBuilder history(5);
  history.call("A", "acquire").asks("A", {1, 2}, "set").answer("A", "acquire", "contended");
  EXPECT_EQ(judge(history.record).why, "nobody ever held the lock");
}

TEST(Judge, JudgesOnlyWhatTheScenarioJudges) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).acquires("B").works("B", 0).writes("A", 1);
  EXPECT_EQ(judge(history.record).verdict, Verdict::violated);
  EXPECT_EQ(judge(history.judges(Property::liveness).record).verdict, Verdict::holds);
}

TEST(Judge, APropertyNobodyKnowsCannotRun) {
  auto history = one_after_the_other();
  history.record[0].data["judged"] = {"speed"};
  EXPECT_EQ(said_by<CannotRun>([&] { (void)judge(history.record); }),
            "\"speed\" is not a property of a lock");
}

class EveryFault : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryFault, ThatIsNeededAndDidNotHappenIsNotExercised) {
  auto history = one_after_the_other();
  history.needs({std::string(GetParam())});
  const auto judgement = judge(history.record);
  EXPECT_EQ(judgement.verdict, Verdict::not_exercised);
  EXPECT_EQ(judgement.sentence(),
            "the fault did not happen: nothing was " + std::string(GetParam()));
  EXPECT_EQ(judge(history.fault("A", GetParam()).record).verdict, Verdict::holds);
}

INSTANTIATE_TEST_SUITE_P(Faults, EveryFault,
                         testing::Values(fault::held, fault::delivered, fault::dropped,
                                         fault::delayed, fault::blackholed, fault::reset,
                                         fault::frozen, fault::thawed, fault::killed,
                                         fault::terminated, fault::ended, fault::promoted,
                                         fault::stepped, fault::restarted),
                         [](const auto& each) { return std::string(each.param); });

TEST(JudgeNeeds, AnotherFaultIsNotTheOneThatIsNeeded) {
  auto history = one_after_the_other();
  history.needs({"frozen", "thawed"}).fault("A", fault::frozen).fault("A", fault::killed);
  EXPECT_EQ(judge(history.record).why, "the fault did not happen: nothing was thawed");
}

TEST(JudgeNeeds, NobodyContendedIsNotExercised) {
  auto history = one_after_the_other();
  EXPECT_EQ(judge(history.needs({std::string(needs_contention)}).record).why,
            "nobody wanted the lock while another had it");
  HistoryBuilder contended;
  contended.needs({std::string(needs_contention)}).acquires("A").is_refused("B").releases("A");
  EXPECT_EQ(judge(contended.record).verdict, Verdict::holds);
}

TEST(JudgeNeeds, AnOwnerDoesNotContendWithItself) {
  HistoryBuilder history;
  history.needs({std::string(needs_contention)}).acquires("A").is_refused("A").releases("A");
  EXPECT_EQ(judge(history.record).verdict, Verdict::not_exercised);
}

TEST(JudgeNeeds, ALockThatNobodyEverHeldIsNotExercised) {
  EXPECT_EQ(judge(HistoryBuilder().is_refused("A").record).why, "nobody ever held the lock");
  HistoryBuilder believer;  // the server knows nothing of it
  believer.call("A", "acquire").answer("A", "acquire", "acquired");
  EXPECT_EQ(judge(believer.record).verdict, Verdict::not_exercised);
}

TEST(JudgeNeeds, WhatTheRunSaysItDidNotExerciseOutweighsAll) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).works("B", 0).writes("A", 1);
  history.add("", Kind::not_exercised, {{"why", "it slipped through"}});
  const auto judgement = judge(history.record);
  EXPECT_EQ(judgement.verdict, Verdict::not_exercised);
  EXPECT_EQ(judgement.sentence(), "it slipped through");
  EXPECT_THAT(judgement.findings, IsEmpty());
}

TEST(JudgeNeeds, AHistoryOfNothingIsNotExercised) {
  EXPECT_EQ(judge({}).verdict, Verdict::not_exercised);
  auto history = one_after_the_other();
  history.record.erase(history.record.begin());
  EXPECT_EQ(judge(history.record).why, "the history does not say what was run");
}

TEST(Judge, AStalledMachineIsInconclusiveWhateverElseHappened) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).works("B", 0).writes("A", 1);
  history.add("", Kind::stalled, {{"why", "the machine slept"}});
  const auto judgement = judge(history.record);
  EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
  EXPECT_EQ(judgement.sentence(), "the machine slept");
}

// A lost update, as in a trace where A has to renew its lease in time.
HistoryBuilder lost_update(bool depends_on_time) {
  HistoryBuilder history;
  history.record[0].data["depends_on_time"] = depends_on_time;
  history.judges(Property::mutual_exclusion).acquires("A").reads("A", 0).server("expired");
  history.acquires("B").works("B", 0).writes("A", 1);
  return history;
}

HistoryBuilder& stands_still(HistoryBuilder& history, int ms) {
  return history.add("", Kind::stood_still, {{"for_ms", ms}});
}

TEST(JudgeOfStalls, WhatDependsOnTimeMayBeTheMachine) {
  auto history = lost_update(true);
  EXPECT_EQ(judge(history.record).verdict, Verdict::violated);
  const auto judgement = judge(stands_still(history, 80).record);
  EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
  EXPECT_THAT(judgement.why, HasSubstr("the machine stood still for 80 ms"));
}

TEST(JudgeOfStalls, WhatDoesNotDependOnTimeIsTheLock) {
  auto history = lost_update(false);
  EXPECT_EQ(judge(stands_still(history, 80).record).verdict, Verdict::violated);
}

TEST(JudgeOfStalls, AfterALongOneNothingIsTheLocks) {
  auto history = lost_update(false);
  EXPECT_EQ(judge(stands_still(history, 80'000).record).verdict, Verdict::inconclusive);
}

TEST(JudgeOfStalls, OneFindingThatIsNotTheMachinesIsEnough) {
  auto history = lost_update(true);
  history.record[0].data["judged"] = {"mutual exclusion", "truthful outcomes"};
  history.call("C", "release").answer("C", "release", "released");
  EXPECT_EQ(judge(stands_still(history, 80).record).verdict, Verdict::violated);
}

TEST(JudgeOfStalls, AGreenStaysGreen) {
  HistoryBuilder history;
  history.acquires("A").works("A", 0).releases("A");
  EXPECT_EQ(judge(stands_still(history, 80).record).verdict, Verdict::holds);
}

TEST(JudgeOfStalls, AStallBeforeTheStoryIsNoExcuse) {
  HistoryBuilder history;
  history.record[0].data["depends_on_time"] = true;
  stands_still(history, 80).judges(Property::mutual_exclusion).acquires("A").reads("A", 0);
  history.server("expired").acquires("B").works("B", 0).writes("A", 1);
  EXPECT_EQ(judge(history.record).verdict, Verdict::violated);
}

TEST(JudgeOfStalls, AnAnswerThatCameTooLateMayBeTheMachine) {
  const auto ends_unknown = [](bool stalled) {
    HistoryBuilder history;
    history.judges(Property::liveness).acquires("A");
    if (stalled) stands_still(history, 80);
    history.call("B", "acquire", {{"must_get_in", true}, {"wait_ms", 2400}});
    history.answer("B", "acquire", "unknown");
    return judge(history.record).verdict;
  };
  EXPECT_EQ(ends_unknown(false), Verdict::violated);
  EXPECT_EQ(ends_unknown(true), Verdict::inconclusive);
}

TEST(JudgeOfStalls, AShortStallIsNoExcuseForALongWait) {
  const auto waits_in_vain = [](int stall) {
    HistoryBuilder history;
    history.judges(Property::liveness).acquires("A");
    stands_still(history, stall).call("B", "acquire", {{"must_get_in", true}, {"wait_ms", 2400}});
    history.answer("B", "acquire", "contended");
    return judge(history.record).verdict;
  };
  EXPECT_EQ(waits_in_vain(80), Verdict::violated);
  EXPECT_EQ(waits_in_vain(1'000), Verdict::inconclusive);
}

TEST(JudgeOfStalls, WhatDidNotHappenMayHappenNextTime) {
  HistoryBuilder history;
  history.needs({"frozen"}).acquires("A");
  EXPECT_EQ(judge(history.record).verdict, Verdict::not_exercised);
  EXPECT_EQ(judge(stands_still(history, 80).record).verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace faults
