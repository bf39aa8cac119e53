// When a judge passes which verdict.
#include "faults/judging/judge.h"

#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

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
  EXPECT_THAT(said_by<CannotRun>([&] { (void)judge(history.record); }),
              testing::StartsWith("\"speed\" is not a property of a lock: there are mutual"));
}

class EveryFault : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryFault, IsNotExercisedIfItDidNotHappen) {
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
                                         fault::stepped, fault::restarted, fault::moved),
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

TEST(JudgeNeeds, AStrangersReleaseContends) {
  HistoryBuilder history;
  history.needs({std::string(needs_contention)}).acquires("A");
  history.call("B", "release").answer("B", "release", "not_held").releases("A");
  EXPECT_NE(judge(history.record).verdict, Verdict::not_exercised);
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

TEST(JudgeNeeds, IsNotExercisedIfTheRunSaysSo) {
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

// A client ends by itself, or never answers.
HistoryBuilder& breaks_off(HistoryBuilder& history) {
  return history.add("A", Kind::misbehaved, {{"why", "A's program died"}});
}

TEST(JudgeBrokenOff, IsAboutLivenessWhereThatIsJudged) {
  auto history = one_after_the_other();
  const auto judgement = judge(breaks_off(history).record);
  EXPECT_EQ(judgement.verdict, Verdict::violated);
  EXPECT_EQ(judgement.sentence(), "A's program died");
}

TEST(JudgeBrokenOff, IsNotExercisedWhereItIsNot) {
  auto history = one_after_the_other().judges(Property::mutual_exclusion);
  const auto judgement = judge(breaks_off(history).record);
  EXPECT_EQ(judgement.verdict, Verdict::not_exercised);
  EXPECT_EQ(judgement.sentence(), "A's program died");
  EXPECT_EQ(judge(history.needs({"frozen"}).record).sentence(), "A's program died");
}

TEST(JudgeBrokenOff, ADeadProgramIsAVerdictInEveryScenario) {
  const auto dies = [](bool has_lock) {
    HistoryBuilder history;
    history.judges(Property::mutual_exclusion).needs({"frozen"}).acquires("A");
    if (!has_lock) history.releases("A");
    return judge(
        history.add("A", Kind::misbehaved, {{"why", "A's program died"}, {"died", true}}).record);
  };
  EXPECT_EQ(dies(true).verdict, Verdict::violated);
  EXPECT_EQ(dies(true).sentence(), "A's program died; it had the lock");
  EXPECT_EQ(dies(true).findings.front().property, Property::liveness);
  EXPECT_EQ(dies(false).sentence(), "A's program died");
}

TEST(JudgeBrokenOff, IsAboutNothingElseWhereThatIsJudged) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).works("B", 0).writes("A", 1);
  const auto findings = judge(breaks_off(history).record).findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].property, Property::liveness);
}

TEST(JudgeBrokenOff, KeepsWhatWasBrokenBefore) {
  HistoryBuilder history;
  history.judges(Property::mutual_exclusion);
  history.acquires("A").reads("A", 0).works("B", 0).writes("A", 1);
  EXPECT_EQ(judge(breaks_off(history).record).findings.front().property,
            Property::mutual_exclusion);
}

// A lock that waits for a replica, which never hears of it.
HistoryBuilder waits_for_a_replica(const std::string& reply, bool takes_back) {
  HistoryBuilder history;
  history.needs({"killed"}).call("A", "acquire");
  history.command("A", "SET lock a NX PX 60000").server("set").reply("A", "OK");
  history.command("A", "WAIT 1 100").reply("A", reply);
  if (takes_back) history.command("A", "DEL lock").server("del").reply("A", "1");
  history.answer("A", "acquire", "not_acquired");
  return history.add("", Kind::not_exercised, {{"why", "it was to answer \"acquired\""}});
}

TEST(JudgeRefused, IsRightIfNoReplicaAcknowledged) {
  const auto judgement = judge(waits_for_a_replica("0", true).record);
  EXPECT_EQ(judgement.verdict, Verdict::holds);
  EXPECT_EQ(judgement.sentence(),
            "A was refused at 90 ms, since no replica had acknowledged its lock, and nothing of it "
            "was left");
}

TEST(JudgeRefused, ShowsNothingForAnotherReason) {
  EXPECT_EQ(judge(waits_for_a_replica("1", true).record).verdict, Verdict::not_exercised);
  EXPECT_EQ(judge(waits_for_a_replica("0", false).record).verdict, Verdict::not_exercised);
}

// A hears "acquired" after its lease has expired: that is why B's write was lost.
TEST(Judge, NamesFirstTheOutcomeThatExplainsALoss) {
  HistoryBuilder history;
  history.call("A", "acquire").server("set").server("expired").acquires("B").reads("B", 0);
  history.after(100).answer("A", "acquire", "acquired").reads("A", 0).writes("B", 1);
  const auto judgement = judge(history.writes("A", 1).record);
  ASSERT_EQ(judgement.findings.size(), 2U);
  EXPECT_EQ(judgement.findings[0].property, Property::truthful_outcomes);
  EXPECT_EQ(judgement.findings[1].property, Property::mutual_exclusion);
}

TEST(Judge, LeavesAnOutcomeThatExplainsNothingBehind) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).server("expired");
  history.call("C", "release").answer("C", "release", "released");
  const auto judgement = judge(history.acquires("B").works("B", 0).writes("A", 1).record);
  EXPECT_EQ(judgement.findings.front().property, Property::mutual_exclusion);
}

TEST(Judge, IsInconclusiveOnAStalledMachine) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).works("B", 0).writes("A", 1);
  history.add("", Kind::stalled, {{"why", "the machine slept"}});
  const auto judgement = judge(history.record);
  EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
  EXPECT_EQ(judgement.sentence(), "the machine slept");
}

}  // namespace
}  // namespace faults
