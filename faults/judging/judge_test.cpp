#include "faults/judging/judge.h"

#include "faults/judging/found.h"
#include "faults/judging/tale.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> lost_writes(const Tale& tale) {
  return found(Property::mutual_exclusion, tale);
}
std::vector<std::string> strangers(const Tale& tale) {
  return found(Property::owner_only_release, tale);
}
std::vector<std::string> shut_out(const Tale& tale) {
  return found(Property::liveness, tale);
}

Tale one_after_the_other() {
  return Tale().acquires("A").works("A", 0).releases("A").acquires("B").works("B", 1).releases("B");
}

TEST(Judge, HoldsWhenOneComesAfterTheOther) {
  const auto judgement = judge(one_after_the_other().record);
  EXPECT_EQ(judgement.verdict, Verdict::holds);
  EXPECT_THAT(judgement.findings, IsEmpty());
  EXPECT_EQ(judgement.sentence(), "every property stood");
}

TEST(JudgeMutualExclusion, SeesAWriteThatWasLost) {
  // A read before B wrote, and wrote after.
  Tale tale;
  tale.judges(Property::mutual_exclusion);
  tale.acquires("A").reads("A", 0).acquires("B").works("B", 0).writes("A", 1);
  EXPECT_THAT(lost_writes(tale),
              ElementsAre("B's write at 90 ms was overwritten by A at 110 ms, which still built on "
                          "what it had read at 30 ms"));
  const auto judgement = judge(tale.record);
  ASSERT_THAT(judgement.findings, SizeIs(1));
  const Story story(tale.record);
  EXPECT_THAT(judgement.findings[0].evidence, ElementsAre(9U, 11U));
  EXPECT_EQ(story.events[9].lane, "B");
  EXPECT_EQ(story.events[11].lane, "A");
  EXPECT_THAT(judgement.findings[0].inside, ElementsAre("B", "A"));
}

TEST(JudgeMutualExclusion, SeesAWriterThatNeverRead) {
  EXPECT_THAT(lost_writes(Tale().acquires("A").works("A", 0).writes("B", 7)), SizeIs(1));
}

TEST(JudgeMutualExclusion, TwoBelieversWhoLoseNoWriteAreNoViolation) {
  EXPECT_THAT(lost_writes(Tale().acquires("A").acquires("B").works("A", 0).works("B", 1)),
              IsEmpty());
}

TEST(JudgeMutualExclusion, ARefusedWriteDoesNoHarm) {
  EXPECT_THAT(lost_writes(Tale().acquires("A").reads("A", 0).works("B", 0).writes("A", 1, false)),
              IsEmpty());
}

TEST(JudgeMutualExclusion, ARefusedWriteCannotBeLost) {
  EXPECT_THAT(lost_writes(Tale().acquires("A").reads("A", 0).writes("B", 1, false).writes("A", 1)),
              IsEmpty());
}

TEST(JudgeMutualExclusion, AClientMayOverwriteItself) {
  EXPECT_THAT(lost_writes(Tale().acquires("A").reads("A", 0).writes("A", 1).writes("A", 2)),
              IsEmpty());
}

TEST(JudgeMutualExclusion, AccountsAreApart) {
  Tale tale;
  tale.acquires("A").reads("A", 0).add(
      "B", Kind::storage,
      {{"what", "write"}, {"account", "other"}, {"value", 1}, {"accepted", true}});
  EXPECT_THAT(lost_writes(tale.writes("A", 1)), IsEmpty());
}

TEST(JudgeMutualExclusion, AReadOfAnotherAccountIsNoFreshRead) {
  Tale tale;
  tale.acquires("A").reads("A", 0).works("B", 0).add(
      "A", Kind::storage, {{"what", "read"}, {"account", "other"}, {"value", 0}});
  EXPECT_THAT(lost_writes(tale.writes("A", 1)), SizeIs(1));
}

TEST(JudgeOwnerOnlyRelease, SeesAStranger) {
  Tale tale;
  tale.acquires("A").call("B", "release").server("del").answer("B", "release", "released");
  EXPECT_THAT(strangers(tale),
              ElementsAre("at 40 ms B removed the lock that A had taken at 10 ms and not given "
                          "back"));
}

TEST(JudgeOwnerOnlyRelease, SeesALateOwnerRemoveItsSuccessorsLock) {
  Tale tale;
  tale.acquires("A").server("expired").acquires("B").releases("A");
  EXPECT_THAT(strangers(tale), ElementsAre(HasSubstr("A removed the lock that B had taken")));
}

TEST(JudgeOwnerOnlyRelease, SeesARemovalByNobodyKnown) {
  EXPECT_THAT(strangers(Tale().acquires("A").server("del")),
              ElementsAre(HasSubstr("somebody removed the lock that A had taken")));
}

TEST(JudgeOwnerOnlyRelease, AnOwnerAndTheEndOfALeaseMayRemoveIt) {
  EXPECT_THAT(strangers(Tale().acquires("A").releases("A").acquires("B").server("expired")),
              IsEmpty());
}

TEST(JudgeOwnerOnlyRelease, AnOwnerThatUnwindsOrStopsMayRemoveIt) {
  EXPECT_THAT(strangers(Tale()
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
  Tale tale;
  tale.acquires("A").fault("A", fault::killed);
  tale.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  tale.answer("B", "acquire", "contended");
  // Who gives up before has not tried for longer.
  EXPECT_THAT(shut_out(tale), ElementsAre("B tried for 10 ms, and never got in: the lock that A "
                                          "left behind was never freed"));
  tale.record.back().at += std::chrono::milliseconds(2'400);
  EXPECT_THAT(shut_out(tale),
              ElementsAre("B tried for 2400 ms, 8 leases long, and never got in: the lock that A "
                          "left behind was never freed"));
}

TEST(JudgeLiveness, SeesWhoWasNeverAnswered) {
  Tale tale;
  tale.acquires("A").call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  EXPECT_THAT(shut_out(tale), SizeIs(1));
}

TEST(JudgeLiveness, BlamesNoLockForServersThatAnswerAfterItsLease) {
  Tale tale;
  tale.record[0].data["lease_ms"] = 15;
  tale.acquires("A").fault("A", fault::killed);
  tale.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}}).command("B", "SET lock");
  auto late = tale;
  late.server("expired").server("set").reply("B", "OK").answer("B", "acquire", "unknown");
  EXPECT_EQ(judge(late.record).verdict, Verdict::inconclusive);
  auto in_time = tale;
  in_time.reply("B", "OK").server("expired").server("set").answer("B", "acquire", "unknown");
  EXPECT_EQ(judge(in_time.record).verdict, Verdict::violated);
}

TEST(JudgeLiveness, IsSatisfiedByWhoGotInAndByWhoNeedNot) {
  Tale tale;
  tale.acquires("A").is_refused("C").server("expired");
  tale.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}}).server("set");
  EXPECT_THAT(shut_out(tale.answer("B", "acquire", "acquired")), IsEmpty());
}

TEST(JudgeOwnerOnlyRelease, LooksAtEachServer) {
  Tale tale(5);
  tale.acquires_on(five, "A").call("B", "release").asks("B", {2}, "del", "DEL lock");
  EXPECT_THAT(strangers(tale), ElementsAre(HasSubstr("B removed the lock that A had taken")));
}

TEST(JudgeOwnerOnlyRelease, KnowsWhoItWasWhenTheAnswerComesBeforeTheAnnouncement) {
  Tale tale(5);
  tale.call("A", "release").call("B", "acquire").asks("B", {2}, "set");
  tale.command_to(2, "B", "DEL lock").reply_from(2, "B").server_on({2}, "del");
  EXPECT_THAT(strangers(tale), IsEmpty());
}

TEST(JudgeOwnerOnlyRelease, KnowsWhoAskedAReplicaThatTookOver) {
  Tale tale(5);
  tale.acquires_on(five, "A").call("B", "acquire");
  tale.add("B", Kind::command, {{"to", "replica"}, {"text", "SET lock"}});
  tale.add("B", Kind::reply, {{"from", "replica"}, {"command", "SET"}, {"text", "OK"}});
  for (const auto* what : {"set", "del"}) {
    tale.add("replica", Kind::server, {{"what", what}, {"key", "lock"}});
  }
  EXPECT_THAT(strangers(tale), IsEmpty());
}

TEST(JudgeHolderWasTold, OfTheEndOfItsMajority) {
  Tale tale(5);
  tale.acquires_on(five, "A").server_on({1, 2}, "expired");
  EXPECT_THAT(found(Property::holder_was_told, tale), IsEmpty());
  tale.server_on({3, 4, 5}, "expired");
  EXPECT_THAT(found(Property::holder_was_told, tale),
              ElementsAre(HasSubstr("A's lease ended at 190 ms, and it was never told")));
}

TEST(JudgeHolderWasTold, OfThisLockAndNotOfAnother) {
  const auto told_of = [](const std::string& key) {
    Tale tale;
    tale.acquires("A").add("A", Kind::told, {{"event", "lost"}, {"key", key}}).server("expired");
    return found(Property::holder_was_told, tale);
  };
  EXPECT_THAT(told_of("lock"), IsEmpty());
  EXPECT_THAT(told_of("another"), SizeIs(1));
}

// A third of the lease is what a machine may cost that stands still for less than is noticed.
TEST(JudgeHolderWasTold, ALittleLateMayBeTheMachine) {
  const auto told_150_ms_late = [](int lease_ms) {
    Tale tale;
    tale.judges(Property::holder_was_told).acquires("A").server("expired");
    tale.record[0].data["lease_ms"] = lease_ms;
    for (int i = 0; i < 14; ++i) tale.add("D", Kind::ready, nlohmann::json::object());
    tale.add("A", Kind::told, {{"event", "lost"}});
    return judge(tale.record).verdict;
  };
  EXPECT_EQ(told_150_ms_late(300), Verdict::violated);
  EXPECT_EQ(told_150_ms_late(900), Verdict::inconclusive);
}

TEST(JudgeOwnerOnlyRenewal, LooksAtWhoAsksThatServer) {
  Tale tale(3);
  tale.acquires_on({1, 2, 3}, "A").command_to(2, "B").server_on({3}, "expire");
  EXPECT_THAT(found(Property::owner_only_renewal, tale), IsEmpty());
  EXPECT_THAT(found(Property::owner_only_renewal, tale.server_on({2}, "expire")), SizeIs(1));
}

TEST(JudgeOwnerOnlyRenewal, WhatNeverArrivesIsNobodysRenewal) {
  Tale tale;
  tale.acquires("A").command("A", "EVALSHA renew").vanishes();
  tale.command("B", "EVALSHA renew").server("expire");
  EXPECT_THAT(found(Property::owner_only_renewal, tale), SizeIs(1));
  Tale other;
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
  Tale tale;
  tale.acquires("A").command("B", "EVALSHA renew").add("B", Kind::fault, told(fault::held));
  EXPECT_THAT(found(Property::owner_only_renewal, tale.server("expire")), IsEmpty());
  tale.add("B", Kind::fault, told(fault::delivered)).server("expire");
  EXPECT_THAT(found(Property::owner_only_renewal, tale), SizeIs(1));
}

TEST(JudgeOwnerOnlyRenewal, AnOwnerThatTakesItAgainMaySetTheLease) {
  Tale tale;
  tale.acquires("A").command("B", "SET lock").call("A", "acquire").server("expire");
  EXPECT_THAT(found(Property::owner_only_renewal, tale.answer("A", "acquire", "acquired")),
              IsEmpty());
}

TEST(JudgeFirstCome, LooksAtWhoOfThoseWhoWaitAskedFirst) {
  Tale tale;
  tale.acquires("A").call("B", "acquire", {{"wait_ms", 900}});
  tale.call("C", "acquire", {{"wait_ms", 900}}).call("D", "acquire", {{"wait_ms", 0}});
  tale.answer("D", "acquire", "acquired");
  EXPECT_THAT(found(Property::first_come, tale), IsEmpty());
  tale.answer("C", "acquire", "acquired");
  EXPECT_THAT(found(Property::first_come, tale), SizeIs(1));
  tale.answer("B", "acquire", "acquired");
  EXPECT_THAT(found(Property::first_come, tale), SizeIs(1));
}

TEST(JudgeBoundedRenewal, CountsWhatOneServerGets) {
  Tale tale(5);
  tale.acquires_on(five, "A").asks("A", five, "expire").asks("A", five, "expire");
  EXPECT_THAT(found(Property::bounded_renewal, tale), IsEmpty());
  for (int i = 0; i < 9; ++i) tale.asks("A", {1}, "expire");
  EXPECT_THAT(found(Property::bounded_renewal, tale), SizeIs(1));
}

TEST(JudgeLiveness, SeesWhatTookTooLong) {
  Tale tale;
  tale.acquires("A").call("B", "acquire", {{"must_end_within_ms", 15}});
  EXPECT_THAT(shut_out(Tale(tale).answer("B", "acquire", "error")), IsEmpty());
  EXPECT_THAT(shut_out(tale), ElementsAre("B's acquire had to end within 15 ms, and never did"));
  EXPECT_THAT(shut_out(tale.command("B", "x").answer("B", "acquire", "contended")),
              ElementsAre("B's acquire had to end within 15 ms, and took 20 ms"));
  EXPECT_EQ(judge(tale.record).verdict, Verdict::violated);
  tale.add("", Kind::stood_still, {{"for_ms", 10}});
  EXPECT_EQ(judge(tale.record).verdict, Verdict::inconclusive);
}

TEST(JudgeLiveness, NamesWhoWasNotAnswered) {
  Tale tale(5);
  tale.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  EXPECT_THAT(shut_out(tale.answer("B", "acquire", "error").acquires_on(five, "A")),
              ElementsAre("B never got in: it asked, and was not answered"));
  Tale held(5);
  held.acquires_on(five, "A").call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  EXPECT_THAT(shut_out(held.answer("B", "acquire", "unknown")),
              ElementsAre("B never got in: after 10 ms it answered \"unknown\""));
}

TEST(JudgeNeeds, ALockThatOnlyAMinorityHeldIsNotExercised) {
  Tale tale(5);
  tale.call("A", "acquire").asks("A", {1, 2}, "set").answer("A", "acquire", "contended");
  EXPECT_EQ(judge(tale.record).why, "nobody ever held the lock");
}

TEST(Judge, JudgesOnlyWhatTheScenarioJudges) {
  Tale tale;
  tale.acquires("A").reads("A", 0).acquires("B").works("B", 0).writes("A", 1);
  EXPECT_EQ(judge(tale.record).verdict, Verdict::violated);
  EXPECT_EQ(judge(tale.judges(Property::liveness).record).verdict, Verdict::holds);
}

TEST(Judge, APropertyNobodyKnowsCannotRun) {
  auto tale = one_after_the_other();
  tale.record[0].data["judged"] = {"speed"};
  EXPECT_EQ(said_by<CannotRun>([&] { (void)judge(tale.record); }),
            "\"speed\" is not a property of a lock");
}

class EveryFault : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryFault, ThatIsNeededAndDidNotHappenIsNotExercised) {
  auto tale = one_after_the_other();
  tale.needs({std::string(GetParam())});
  const auto judgement = judge(tale.record);
  EXPECT_EQ(judgement.verdict, Verdict::not_exercised);
  EXPECT_EQ(judgement.sentence(),
            "the fault did not happen: nothing was " + std::string(GetParam()));
  EXPECT_EQ(judge(tale.fault("A", GetParam()).record).verdict, Verdict::holds);
}

INSTANTIATE_TEST_SUITE_P(Faults, EveryFault,
                         testing::Values(fault::held, fault::delivered, fault::dropped,
                                         fault::delayed, fault::blackholed, fault::reset,
                                         fault::frozen, fault::thawed, fault::killed,
                                         fault::terminated, fault::ended, fault::promoted,
                                         fault::stepped, fault::restarted),
                         [](const auto& each) { return std::string(each.param); });

TEST(JudgeNeeds, AnotherFaultIsNotTheOneThatIsNeeded) {
  auto tale = one_after_the_other();
  tale.needs({"frozen", "thawed"}).fault("A", fault::frozen).fault("A", fault::killed);
  EXPECT_EQ(judge(tale.record).why, "the fault did not happen: nothing was thawed");
}

TEST(JudgeNeeds, NobodyContendedIsNotExercised) {
  auto tale = one_after_the_other();
  EXPECT_EQ(judge(tale.needs({std::string(needs_contention)}).record).why,
            "nobody wanted the lock while another had it");
  Tale contended;
  contended.needs({std::string(needs_contention)}).acquires("A").is_refused("B").releases("A");
  EXPECT_EQ(judge(contended.record).verdict, Verdict::holds);
}

TEST(JudgeNeeds, AnOwnerDoesNotContendWithItself) {
  Tale tale;
  tale.needs({std::string(needs_contention)}).acquires("A").is_refused("A").releases("A");
  EXPECT_EQ(judge(tale.record).verdict, Verdict::not_exercised);
}

TEST(JudgeNeeds, ALockThatNobodyEverHeldIsNotExercised) {
  EXPECT_EQ(judge(Tale().is_refused("A").record).why, "nobody ever held the lock");
  Tale believer;  // the server knows nothing of it
  believer.call("A", "acquire").answer("A", "acquire", "acquired");
  EXPECT_EQ(judge(believer.record).verdict, Verdict::not_exercised);
}

TEST(JudgeNeeds, WhatTheRunSaysItDidNotExerciseOutweighsAll) {
  Tale tale;
  tale.acquires("A").reads("A", 0).works("B", 0).writes("A", 1);
  tale.add("", Kind::not_exercised, {{"why", "it slipped through"}});
  const auto judgement = judge(tale.record);
  EXPECT_EQ(judgement.verdict, Verdict::not_exercised);
  EXPECT_EQ(judgement.sentence(), "it slipped through");
  EXPECT_THAT(judgement.findings, IsEmpty());
}

TEST(JudgeNeeds, AHistoryOfNothingIsNotExercised) {
  EXPECT_EQ(judge({}).verdict, Verdict::not_exercised);
  auto tale = one_after_the_other();
  tale.record.erase(tale.record.begin());
  EXPECT_EQ(judge(tale.record).why, "the history does not say what was run");
}

TEST(Judge, AStalledMachineIsInconclusiveWhateverElseHappened) {
  Tale tale;
  tale.acquires("A").reads("A", 0).works("B", 0).writes("A", 1);
  tale.add("", Kind::stalled, {{"why", "the machine slept"}});
  const auto judgement = judge(tale.record);
  EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
  EXPECT_EQ(judgement.sentence(), "the machine slept");
}

// A lost update, as in a story where A has to renew its lease in time.
Tale lost_update(bool depends_on_time) {
  Tale tale;
  tale.record[0].data["depends_on_time"] = depends_on_time;
  tale.judges(Property::mutual_exclusion).acquires("A").reads("A", 0).server("expired");
  tale.acquires("B").works("B", 0).writes("A", 1);
  return tale;
}

Tale& stands_still(Tale& tale, int ms) {
  return tale.add("", Kind::stood_still, {{"for_ms", ms}});
}

TEST(JudgeOfStalls, WhatDependsOnTimeMayBeTheMachine) {
  auto tale = lost_update(true);
  EXPECT_EQ(judge(tale.record).verdict, Verdict::violated);
  const auto judgement = judge(stands_still(tale, 80).record);
  EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
  EXPECT_THAT(judgement.why, HasSubstr("the machine stood still for 80 ms"));
}

TEST(JudgeOfStalls, WhatDoesNotDependOnTimeIsTheLock) {
  auto tale = lost_update(false);
  EXPECT_EQ(judge(stands_still(tale, 80).record).verdict, Verdict::violated);
}

TEST(JudgeOfStalls, AfterALongOneNothingIsTheLocks) {
  auto tale = lost_update(false);
  EXPECT_EQ(judge(stands_still(tale, 80'000).record).verdict, Verdict::inconclusive);
}

TEST(JudgeOfStalls, OneFindingThatIsNotTheMachinesIsEnough) {
  auto tale = lost_update(true);
  tale.record[0].data["judged"] = {"mutual exclusion", "truthful outcomes"};
  tale.call("C", "release").answer("C", "release", "released");
  EXPECT_EQ(judge(stands_still(tale, 80).record).verdict, Verdict::violated);
}

TEST(JudgeOfStalls, AGreenStaysGreen) {
  Tale tale;
  tale.acquires("A").works("A", 0).releases("A");
  EXPECT_EQ(judge(stands_still(tale, 80).record).verdict, Verdict::holds);
}

TEST(JudgeOfStalls, AStallBeforeTheStoryIsNoExcuse) {
  Tale tale;
  tale.record[0].data["depends_on_time"] = true;
  stands_still(tale, 80).judges(Property::mutual_exclusion).acquires("A").reads("A", 0);
  tale.server("expired").acquires("B").works("B", 0).writes("A", 1);
  EXPECT_EQ(judge(tale.record).verdict, Verdict::violated);
}

TEST(JudgeOfStalls, AnAnswerThatCameTooLateMayBeTheMachine) {
  const auto ends_unknown = [](bool stalled) {
    Tale tale;
    tale.judges(Property::liveness).acquires("A");
    if (stalled) stands_still(tale, 80);
    tale.call("B", "acquire", {{"must_get_in", true}, {"wait_ms", 2400}});
    tale.answer("B", "acquire", "unknown");
    return judge(tale.record).verdict;
  };
  EXPECT_EQ(ends_unknown(false), Verdict::violated);
  EXPECT_EQ(ends_unknown(true), Verdict::inconclusive);
}

TEST(JudgeOfStalls, AShortStallIsNoExcuseForALongWait) {
  const auto waits_in_vain = [](int stall) {
    Tale tale;
    tale.judges(Property::liveness).acquires("A");
    stands_still(tale, stall).call("B", "acquire", {{"must_get_in", true}, {"wait_ms", 2400}});
    tale.answer("B", "acquire", "contended");
    return judge(tale.record).verdict;
  };
  EXPECT_EQ(waits_in_vain(80), Verdict::violated);
  EXPECT_EQ(waits_in_vain(1'000), Verdict::inconclusive);
}

TEST(JudgeOfStalls, WhatDidNotHappenMayHappenNextTime) {
  Tale tale;
  tale.needs({"frozen"}).acquires("A");
  EXPECT_EQ(judge(tale.record).verdict, Verdict::not_exercised);
  EXPECT_EQ(judge(stands_still(tale, 80).record).verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace faults
