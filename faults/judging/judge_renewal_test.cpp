#include "faults/judging/properties.h"
#include "faults/judging/testing/findings.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(JudgeOwnerOnlyRenewal, LooksAtWhoAsksThatServer) {
  HistoryBuilder history(3);
  history.acquires_on({1, 2, 3}, "A").command_to(2, "B").server_on({3}, "expire");
  EXPECT_THAT(found(Property::owner_only_renewal, history), IsEmpty());
  EXPECT_THAT(found(Property::owner_only_renewal, history.server_on({2}, "expire")), SizeIs(1));
}

TEST(JudgeOwnerOnlyRenewal, BlamesNobodyForAPing) {
  HistoryBuilder history;
  history.acquires("A").command("B", "PING").server("expire");
  EXPECT_THAT(found(Property::owner_only_renewal, history), IsEmpty());
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

TEST(JudgeHolderWasTold, UnlessItIsDeadOrFrozen) {
  for (const auto what : {fault::killed, fault::frozen}) {
    HistoryBuilder history;
    history.acquires("A").fault("A", what).server("expired");
    EXPECT_THAT(found(Property::holder_was_told, history), IsEmpty()) << what;
  }
  HistoryBuilder history;
  history.acquires("A").fault("A", fault::frozen).fault("A", fault::thawed).server("expired");
  EXPECT_THAT(found(Property::holder_was_told, history), SizeIs(1));
}

// It is found dead only later: what counts is its last sign of life.
TEST(JudgeHolderWasTold, UnlessItsProgramDiedByItself) {
  const nlohmann::json death{{"why", "A's program died"}, {"died", true}};
  HistoryBuilder history;
  history.acquires("A").server("expired");
  auto silent = history;
  silent.add("A", Kind::misbehaved, death);
  EXPECT_THAT(judge_holder_was_told(Trace(silent.record)), IsEmpty());
  history.command("A", "GET lock").add("A", Kind::misbehaved, death);
  EXPECT_THAT(judge_holder_was_told(Trace(history.record)), SizeIs(1));
}

TEST(JudgeHolderWasTold, ByTheAnswerToAnExtend) {
  const auto answered = [](const std::string& outcome) {
    HistoryBuilder history;
    history.acquires("A").call("A", "extend").answer("A", "extend", outcome).server("expired");
    return found(Property::holder_was_told, history);
  };
  EXPECT_THAT(answered("not_mine"), IsEmpty());
  EXPECT_THAT(answered("not_extended"), SizeIs(1));
}

// A stall that is too short to be noted costs 60 ms at most, also in a slowed world; what was noted
// excuses as much as it took.
TEST(JudgeHolderWasTold, ALittleLateMayBeTheMachine) {
  const auto told_late = [](int by_ms, int stalled_ms) {
    HistoryBuilder history;
    history.record[0].data["lease_ms"] = 900;
    history.judges(Property::holder_was_told).acquires("A");
    if (stalled_ms > 0) history.add("", Kind::stood_still, {{"for_ms", stalled_ms}});
    history.server("expired").after(by_ms - 10).add("A", Kind::told, {{"event", "lost"}});
    return judge(history.record).verdict;
  };
  EXPECT_EQ(told_late(50, 0), Verdict::inconclusive);
  EXPECT_EQ(told_late(150, 0), Verdict::violated);
  EXPECT_EQ(told_late(150, 70), Verdict::violated);
  EXPECT_EQ(told_late(150, 90), Verdict::inconclusive);
}

TEST(JudgeBoundedRenewal, CountsWhatOneServerGets) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").asks("A", five, "expire").asks("A", five, "expire");
  EXPECT_THAT(found(Property::bounded_renewal, history), IsEmpty());
  for (int i = 0; i < 9; ++i) history.asks("A", {1}, "expire");
  EXPECT_THAT(found(Property::bounded_renewal, history), SizeIs(1));
}

// One that is due, and two more: a reply that is slow to come is asked for again.
TEST(JudgeBoundedRenewal, AllowsTwoMoreThanAreDue) {
  HistoryBuilder history;
  history.record[0].data["lease_ms"] = 30'000;
  history.acquires("A");
  for (int i = 0; i < 3; ++i) history.command("A", "EVALSHA renew").reply("A", "1");
  EXPECT_THAT(found(Property::bounded_renewal, history), IsEmpty());
  history.command("A", "EVALSHA renew").reply("A", "1");
  EXPECT_THAT(found(Property::bounded_renewal, history), SizeIs(1));
}

TEST(JudgeBoundedRenewal, DoesNotCountAPing) {
  HistoryBuilder history;
  history.record[0].data["lease_ms"] = 30'000;
  history.acquires("A");
  for (int i = 0; i < 9; ++i) history.command("A", "PING").reply("A", "PONG");
  EXPECT_THAT(found(Property::bounded_renewal, history), IsEmpty());
}

// In a history two scripts that begin alike look alike.
TEST(JudgeBoundedRenewal, CountsEachScriptApart) {
  HistoryBuilder history;
  history.record[0].data["lease_ms"] = 30'000;
  history.acquires("A");
  for (int i = 0; i < 4; ++i) {
    history.command("A", "EVAL if r… 1 lock");
    history.record.back().data["script"] = i % 2 == 0 ? "script 1" : "script 2";
    history.reply("A", "1");
  }
  EXPECT_THAT(found(Property::bounded_renewal, history), IsEmpty());
}

}  // namespace
}  // namespace faults
