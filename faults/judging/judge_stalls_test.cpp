// A machine that stood still: when it, and not the lock, may be to blame.
#include "faults/judging/judge.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::HasSubstr;

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

TEST(JudgeOfStalls, AfterALongOneNobodyMisbehaved) {
  HistoryBuilder history;
  history.acquires("A").add("B", Kind::misbehaved, {{"why", "B never answered"}});
  EXPECT_EQ(judge(history.record).verdict, Verdict::violated);
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

// A stall may explain why nothing was broken, if a client had to renew in time.
TEST(JudgeOfStalls, AGreenIsTheMachinesIfALeasePassed) {
  const auto verdict = [](bool depends_on_time, int ms) {
    HistoryBuilder history;
    history.record[0].data["depends_on_time"] = depends_on_time;
    history.acquires("A").works("A", 0).releases("A");
    return judge(stands_still(history, ms).record).verdict;
  };
  EXPECT_EQ(verdict(true, 300), Verdict::inconclusive);
  EXPECT_EQ(verdict(true, 200), Verdict::holds);
  EXPECT_EQ(verdict(false, 300), Verdict::holds);
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

TEST(JudgeOfStalls, ALateMajorityMayBeTheMachine) {
  const auto knows_nothing_of_its_lock = [](int stall) {
    HistoryBuilder history(5);
    history.judges(Property::truthful_outcomes).call("A", "acquire");
    stands_still(history, stall).asks("A", {1, 2, 3}, "set").after(200);
    return judge(history.answer("A", "acquire", "contended").record).verdict;
  };
  EXPECT_EQ(knows_nothing_of_its_lock(10), Verdict::violated);
  EXPECT_EQ(knows_nothing_of_its_lock(100), Verdict::inconclusive);
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

TEST(JudgeOfStalls, IsNoExcuseForFarTooManyRenewals) {
  const auto renews = [](int times) {
    HistoryBuilder history;
    history.judges(Property::bounded_renewal).acquires("A");
    stands_still(history, 80);
    for (int i = 0; i < times; ++i) history.asks("A", {1}, "expire");
    return judge(history.record).verdict;
  };
  EXPECT_EQ(renews(5), Verdict::inconclusive);
  EXPECT_EQ(renews(12), Verdict::violated);
}

TEST(JudgeOfStalls, WhatDidNotHappenMayHappenNextTime) {
  HistoryBuilder history;
  history.needs({"frozen"}).acquires("A");
  EXPECT_EQ(judge(history.record).verdict, Verdict::not_exercised);
  EXPECT_EQ(judge(stands_still(history, 80).record).verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace faults
