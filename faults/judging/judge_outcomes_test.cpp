// A lock's answers, and what is untrue about them.
#include "faults/judging/testing/findings.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> untrue(const HistoryBuilder& history) {
  return found(Property::truthful_outcomes, history);
}

TEST(JudgeTruthfulOutcomes, SeesAnAcquireThatNeverWas) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire").answer("B", "acquire", "acquired");
  EXPECT_THAT(untrue(history),
              ElementsAre("B's acquire answered \"acquired\" at 40 ms, but the server "
                          "never gave it the lock"));
}

TEST(JudgeTruthfulOutcomes, SeesADeniedAcquire) {
  EXPECT_THAT(
      untrue(
          HistoryBuilder().call("A", "acquire").server("set").answer("A", "acquire", "contended")),
      ElementsAre(HasSubstr("but the server had given it the lock")));
}

// A's extend is answered `outcome` after its lease has ended, and B has the lock.
std::vector<std::string> untrue_extend(const std::string& outcome) {
  HistoryBuilder history;
  history.acquires("A").call("A", "extend").server("expired").acquires("B");
  return untrue(history.answer("A", "extend", outcome));
}

TEST(JudgeTruthfulOutcomes, SeesAnExtendThatCameTooLate) {
  EXPECT_THAT(untrue_extend("extended"),
              ElementsAre("A's extend answered \"extended\" at 80 ms, but it did not hold the lock "
                          "any more"));
  for (const auto* outcome : {"not_mine", "not_held", "not_extended", "unknown"}) {
    EXPECT_THAT(untrue_extend(outcome), IsEmpty()) << outcome;
  }
  EXPECT_THAT(
      untrue(HistoryBuilder().acquires("A").call("B", "extend").answer("B", "extend", "extended")),
      ElementsAre(HasSubstr("but it never had the lock")));
}

TEST(JudgeTruthfulOutcomes, AnAnswerToAnExtendMayLieUnread) {
  HistoryBuilder history;
  history.acquires("A").call("A", "extend").server("expire").server("expired").after(500);
  EXPECT_THAT(untrue(history.answer("A", "extend", "extended", {{"lay_ms", 505}})), IsEmpty());
}

// A client of several servers answers once enough of them have.
TEST(JudgeTruthfulOutcomes, AnExtendMayHearOfAServerAfterItsAnswer) {
  HistoryBuilder history;
  history.acquires("A").call("A", "extend").command("A", "EVAL lock").server("expire");
  history.after(500).server("expired").fault("A", fault::delivered);
  EXPECT_THAT(untrue(history.answer("A", "extend", "extended", {{"lay_ms", 505}})), IsEmpty());
}

// However soon after the end of the lease: its client's own clock shows that it has ended.
TEST(JudgeTruthfulOutcomes, SeesAnExtendWhoseReplyCameAfterTheEnd) {
  const auto answered = [](bool before_the_end) {
    HistoryBuilder history;
    history.acquires("A").call("A", "extend").command("A", "EVAL lock").server("expire");
    if (before_the_end) history.fault("A", fault::delivered);
    history.server("expired");
    if (!before_the_end) history.fault("A", fault::delivered);
    // All within the tolerance for an answer on its way.
    auto& record = history.answer("A", "extend", "extended").record;
    for (auto& event : record) event.at = record.front().at;
    return untrue(history);
  };
  EXPECT_THAT(answered(false), ElementsAre(HasSubstr("it did not hold the lock any more")));
  EXPECT_THAT(answered(true), IsEmpty());
}

TEST(JudgeTruthfulOutcomes, SeesThatALockWasNotLost) {
  const auto answered = [](const std::string& outcome) {
    return untrue(
        HistoryBuilder().acquires("A").call("A", "extend").answer("A", "extend", outcome));
  };
  EXPECT_THAT(answered("extended"), IsEmpty());
  EXPECT_THAT(answered("not_mine"),
              ElementsAre(HasSubstr("but the server still holds the lock for it")));
}

TEST(JudgeTruthfulOutcomes, SeesThatAnotherThreadWasInside) {
  const nlohmann::json second{{"thread", 2}};
  const auto taken_by_two = [&](const nlohmann::json& more, const std::string& outcome) {
    return untrue(
        HistoryBuilder().acquires("A").call("A", "acquire", more).answer("A", "acquire", outcome));
  };
  EXPECT_THAT(taken_by_two(second, "acquired"),
              ElementsAre(HasSubstr("but another of its threads held the lock")));
  EXPECT_THAT(taken_by_two(second, "contended"), IsEmpty());
  EXPECT_THAT(taken_by_two(nlohmann::json::object(), "acquired"), IsEmpty());
  EXPECT_THAT(taken_by_two({{"thread", 2}, {"join", "787b"}}, "acquired"), IsEmpty());
  // A thread that has joined may enter again.
  const auto joined = HistoryBuilder()
                          .acquires("A")
                          .call("A", "acquire", {{"thread", 2}, {"join", "787b"}})
                          .answer("A", "acquire", "acquired");
  EXPECT_THAT(
      untrue(
          HistoryBuilder(joined).call("A", "acquire", second).answer("A", "acquire", "acquired")),
      IsEmpty());
  // Given back, or lost, before. A release that was not answered gave nothing back.
  EXPECT_THAT(untrue(HistoryBuilder()
                         .acquires("A")
                         .call("A", "release")
                         .answer("A", "release", "unknown")
                         .call("A", "acquire", second)
                         .answer("A", "acquire", "acquired")),
              SizeIs(1));
  const auto taken_after = [&](HistoryBuilder history) {
    return untrue(
        history.call("A", "acquire", second).server("set").answer("A", "acquire", "acquired"));
  };
  EXPECT_THAT(taken_after(HistoryBuilder().acquires("A").releases("A")), IsEmpty());
  EXPECT_THAT(taken_after(HistoryBuilder().acquires("A").server("expired")), IsEmpty());
}

TEST(JudgeTruthfulOutcomes, SeesAReleaseThatRemovedNothing) {
  EXPECT_THAT(untrue(HistoryBuilder()
                         .acquires("A")
                         .server("expired")
                         .call("A", "release")
                         .answer("A", "release", "released")),
              ElementsAre(HasSubstr("but no lock was removed")));
}

TEST(JudgeTruthfulOutcomes, SeesAReleaseOfAnothersLock) {
  EXPECT_THAT(untrue(HistoryBuilder().acquires("A").releases("B")),
              ElementsAre(HasSubstr("but the lock that was removed was A's")));
}

TEST(JudgeTruthfulOutcomes, SeesAReleaseThatDeniesItsRemoval) {
  for (const auto* outcome : {"expired", "stolen", "not_held"}) {
    EXPECT_THAT(untrue(HistoryBuilder()
                           .acquires("A")
                           .call("A", "release")
                           .server("del")
                           .answer("A", "release", outcome)),
                ElementsAre(HasSubstr("but its lock was removed by this very call")))
        << outcome;
  }
}

TEST(JudgeTruthfulOutcomes, SeesAHolderThatIsToldItHoldsNothing) {
  for (const auto* outcome : {"expired", "stolen", "not_held"}) {
    EXPECT_THAT(
        untrue(HistoryBuilder().acquires("A").call("A", "release").answer("A", "release", outcome)),
        ElementsAre(HasSubstr("but the server still holds the lock for it")))
        << outcome;
  }
}

TEST(JudgeTruthfulOutcomes, SeesATheftWithoutAThief) {
  EXPECT_THAT(untrue(HistoryBuilder()
                         .acquires("A")
                         .server("expired")
                         .call("A", "release")
                         .answer("A", "release", "stolen")),
              ElementsAre(HasSubstr("but nobody else holds the lock")));
}

TEST(JudgeTruthfulOutcomes, AThiefMayBeGoneWhenTheAnswerComes) {
  EXPECT_THAT(untrue(HistoryBuilder()
                         .acquires("A")
                         .server("expired")
                         .acquires("B")
                         .call("A", "release")
                         .server("expired")
                         .answer("A", "release", "stolen")),
              IsEmpty());
}

TEST(JudgeTruthfulOutcomes, SeesATheftThatIsCalledAnEnd) {
  const auto late =
      HistoryBuilder().acquires("A").server("expired").acquires("B").call("A", "release");
  EXPECT_THAT(untrue(HistoryBuilder(late).answer("A", "release", "expired")),
              ElementsAre(HasSubstr("but B held the lock by then")));
}

TEST(JudgeTruthfulOutcomes, AcceptsExpiredWhenTakenDuringRelease) {
  EXPECT_THAT(untrue(HistoryBuilder()
                         .acquires("A")
                         .server("expired")
                         .call("A", "release")
                         .acquires("B")
                         .answer("A", "release", "expired")),
              IsEmpty());
}

TEST(JudgeTruthfulOutcomes, SeesAnEndOfWhatNeverBegan) {
  EXPECT_THAT(untrue(HistoryBuilder()
                         .acquires("A")
                         .releases("A")
                         .call("B", "release")
                         .answer("B", "release", "expired")),
              ElementsAre(HasSubstr("but it never had the lock")));
}

TEST(JudgeTruthfulOutcomes, BelievesTheTruth) {
  EXPECT_THAT(untrue(HistoryBuilder().acquires("A").releases("A").acquires("B").releases("B")),
              IsEmpty());
  HistoryBuilder late;
  late.acquires("A").server("expired").acquires("B").call("A", "release");
  EXPECT_THAT(untrue(late.answer("A", "release", "stolen")), IsEmpty());
  HistoryBuilder expired;
  expired.acquires("A").server("expired").call("A", "release").answer("A", "release", "expired");
  EXPECT_THAT(untrue(expired), IsEmpty());
}

TEST(JudgeTruthfulOutcomes, UnknownIsNeverUntrue) {
  EXPECT_THAT(
      untrue(HistoryBuilder().call("A", "acquire").server("set").answer("A", "acquire", "unknown")),
      IsEmpty());
  EXPECT_THAT(untrue(HistoryBuilder()
                         .acquires("A")
                         .call("A", "release")
                         .server("del")
                         .answer("A", "release", "unknown")),
              IsEmpty());
}

// Re-entry and several servers.

TEST(JudgeTruthfulOutcomes, BelievesARepeatedAcquireOfTheHolder) {
  EXPECT_THAT(
      untrue(
          HistoryBuilder().acquires("A").call("A", "acquire").answer("A", "acquire", "acquired")),
      IsEmpty());
}

TEST(JudgeTruthfulOutcomes, BelievesAnInnerRelease) {
  EXPECT_THAT(
      untrue(
          HistoryBuilder().acquires("A").call("A", "release").answer("A", "release", "still_held")),
      IsEmpty());
}

TEST(JudgeTruthfulOutcomes, BelievesWhoJoinedAHold) {
  HistoryBuilder history;
  history.acquires("A");
  history.record.back().data["token"] = "787b";
  history.call("B", "acquire", {{"join", "787b"}}).answer("B", "acquire", "acquired");
  history.call("A", "release").answer("A", "release", "still_held").releases("B");
  EXPECT_THAT(untrue(history), IsEmpty());
  // The joiner may leave first; until then it is inside, and may say so.
  HistoryBuilder first;
  first.acquires("A");
  first.record.back().data["token"] = "787b";
  first.call("B", "acquire", {{"join", "787b"}}).answer("B", "acquire", "acquired");
  first.call("B", "release").answer("B", "release", "still_held");
  EXPECT_THAT(untrue(first), IsEmpty());
  first.call("B", "acquire").answer("B", "acquire", "acquired");
  EXPECT_THAT(untrue(first), ElementsAre(HasSubstr("the server never gave it the lock")));
  // No client can join a hold that has ended.
  history.call("B", "acquire", {{"join", "787b"}}).answer("B", "acquire", "acquired");
  EXPECT_THAT(untrue(history), ElementsAre(HasSubstr("the server never gave it the lock")));
}

TEST(JudgeTruthfulOutcomes, SeesAnInnerReleaseThatFreedTheLock) {
  EXPECT_THAT(untrue(HistoryBuilder()
                         .acquires("A")
                         .call("A", "release")
                         .server("del")
                         .answer("A", "release", "still_held")),
              ElementsAre(HasSubstr("but the server does not hold the lock for it")));
}

TEST(JudgeTruthfulOutcomes, AMajorityMakesAnAcquireTrue) {
  EXPECT_THAT(untrue(HistoryBuilder(5).acquires_on({1, 2, 3}, "A")), IsEmpty());
  EXPECT_THAT(untrue(HistoryBuilder(5).acquires_on({1, 2}, "A")),
              ElementsAre(HasSubstr("but only 2 of 5 servers gave it the lock")));
}

TEST(JudgeTruthfulOutcomes, SeesARefusalWithAMajorityThatStays) {
  HistoryBuilder taken_back(5);
  taken_back.call("A", "acquire").asks("A", {1, 2, 3}, "set").asks("A", {2, 3}, "del", "DEL lock");
  EXPECT_THAT(untrue(taken_back.answer("A", "acquire", "contended")), IsEmpty());
  HistoryBuilder left(5);
  left.call("A", "acquire").asks("A", {1, 2, 3}, "set");
  EXPECT_THAT(untrue(left.answer("A", "acquire", "contended")),
              ElementsAre(HasSubstr("but the server had given it the lock")));
}

TEST(JudgeTruthfulOutcomes, OneServersKeyMakesAReleaseTrue) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").server_on({1, 2, 3, 4}, "expired");
  EXPECT_THAT(untrue(HistoryBuilder(history).releases_on({5}, "A")), IsEmpty());
  EXPECT_THAT(untrue(history.server_on({5}, "expired")
                         .call("A", "release")
                         .answer("A", "release", "released")),
              ElementsAre(HasSubstr("but no lock was removed")));
}

TEST(JudgeTruthfulOutcomes, AMajorityThatIsLeftMakesALossUntrue) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").server_on({1, 2}, "expired").call("A", "release");
  EXPECT_THAT(untrue(HistoryBuilder(history).answer("A", "release", "expired")),
              ElementsAre(HasSubstr("but the server still holds the lock for it")));
  EXPECT_THAT(untrue(history.server_on({3}, "expired").answer("A", "release", "expired")),
              IsEmpty());
}

TEST(JudgeTruthfulOutcomes, AMinorityThatIsRemovedLeavesALossTrue) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").server_on({1, 2, 3}, "expired");
  EXPECT_THAT(untrue(history.releases_on({4, 5}, "A", "expired")), IsEmpty());
}

}  // namespace
}  // namespace faults
