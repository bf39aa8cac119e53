// What is untrue about a lock's answers.
#include "faults/judging/found.h"
#include "faults/judging/tale.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> lies(const Tale& tale) {
  return found(Property::truthful_outcomes, tale);
}

TEST(JudgeTruthfulOutcomes, SeesAnAcquireThatNeverWas) {
  Tale tale;
  tale.acquires("A").call("B", "acquire").answer("B", "acquire", "acquired");
  EXPECT_THAT(lies(tale), ElementsAre("B's acquire answered \"acquired\" at 40 ms, but the server "
                                      "never gave it the lock"));
}

TEST(JudgeTruthfulOutcomes, SeesADeniedAcquire) {
  EXPECT_THAT(lies(Tale().call("A", "acquire").server("set").answer("A", "acquire", "contended")),
              ElementsAre(HasSubstr("but the server had given it the lock")));
}

TEST(JudgeTruthfulOutcomes, SeesThatAnotherThreadWasInside) {
  const nlohmann::json second{{"thread", 2}};
  const auto taken_by_two = [&](const nlohmann::json& more, const std::string& outcome) {
    return lies(Tale().acquires("A").call("A", "acquire", more).answer("A", "acquire", outcome));
  };
  EXPECT_THAT(taken_by_two(second, "acquired"),
              ElementsAre(HasSubstr("but another of its threads held the lock")));
  EXPECT_THAT(taken_by_two(second, "contended"), IsEmpty());
  EXPECT_THAT(taken_by_two(nlohmann::json::object(), "acquired"), IsEmpty());
  EXPECT_THAT(taken_by_two({{"thread", 2}, {"join", "787b"}}, "acquired"), IsEmpty());
  // Who has joined may enter once more.
  const auto joined = Tale()
                          .acquires("A")
                          .call("A", "acquire", {{"thread", 2}, {"join", "787b"}})
                          .answer("A", "acquire", "acquired");
  EXPECT_THAT(lies(Tale(joined).call("A", "acquire", second).answer("A", "acquire", "acquired")),
              IsEmpty());
  // Given back, or lost, before. A release that was not answered gave nothing back.
  EXPECT_THAT(lies(Tale()
                       .acquires("A")
                       .call("A", "release")
                       .answer("A", "release", "unknown")
                       .call("A", "acquire", second)
                       .answer("A", "acquire", "acquired")),
              SizeIs(1));
  const auto taken_after = [&](Tale tale) {
    return lies(tale.call("A", "acquire", second).server("set").answer("A", "acquire", "acquired"));
  };
  EXPECT_THAT(taken_after(Tale().acquires("A").releases("A")), IsEmpty());
  EXPECT_THAT(taken_after(Tale().acquires("A").server("expired")), IsEmpty());
}

TEST(JudgeTruthfulOutcomes, SeesAReleaseThatRemovedNothing) {
  EXPECT_THAT(lies(Tale()
                       .acquires("A")
                       .server("expired")
                       .call("A", "release")
                       .answer("A", "release", "released")),
              ElementsAre(HasSubstr("but no lock was removed")));
}

TEST(JudgeTruthfulOutcomes, SeesAReleaseOfAnothersLock) {
  EXPECT_THAT(lies(Tale().acquires("A").releases("B")),
              ElementsAre(HasSubstr("but the lock that was removed was A's")));
}

TEST(JudgeTruthfulOutcomes, SeesAReleaseThatDeniesItsRemoval) {
  for (const auto* outcome : {"expired", "stolen", "not_held"}) {
    EXPECT_THAT(lies(Tale()
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
    EXPECT_THAT(lies(Tale().acquires("A").call("A", "release").answer("A", "release", outcome)),
                ElementsAre(HasSubstr("but the server still holds the lock for it")))
        << outcome;
  }
}

TEST(JudgeTruthfulOutcomes, SeesATheftWithoutAThief) {
  EXPECT_THAT(lies(Tale()
                       .acquires("A")
                       .server("expired")
                       .call("A", "release")
                       .answer("A", "release", "stolen")),
              ElementsAre(HasSubstr("but nobody else holds the lock")));
}

TEST(JudgeTruthfulOutcomes, AThiefMayBeGoneWhenTheAnswerComes) {
  EXPECT_THAT(lies(Tale()
                       .acquires("A")
                       .server("expired")
                       .acquires("B")
                       .call("A", "release")
                       .server("expired")
                       .answer("A", "release", "stolen")),
              IsEmpty());
}

TEST(JudgeTruthfulOutcomes, SeesATheftThatIsCalledAnEnd) {
  const auto late = Tale().acquires("A").server("expired").acquires("B").call("A", "release");
  EXPECT_THAT(lies(Tale(late).answer("A", "release", "expired")),
              ElementsAre(HasSubstr("but B held the lock by then")));
}

TEST(JudgeTruthfulOutcomes, AThiefWhoCameWhileTheServerWasAskedMayNotHaveBeenThereYet) {
  EXPECT_THAT(lies(Tale()
                       .acquires("A")
                       .server("expired")
                       .call("A", "release")
                       .acquires("B")
                       .answer("A", "release", "expired")),
              IsEmpty());
}

TEST(JudgeTruthfulOutcomes, SeesAnEndOfWhatNeverBegan) {
  EXPECT_THAT(lies(Tale()
                       .acquires("A")
                       .releases("A")
                       .call("B", "release")
                       .answer("B", "release", "expired")),
              ElementsAre(HasSubstr("but it never had the lock")));
}

TEST(JudgeTruthfulOutcomes, BelievesTheTruth) {
  EXPECT_THAT(lies(Tale().acquires("A").releases("A").acquires("B").releases("B")), IsEmpty());
  Tale late;
  late.acquires("A").server("expired").acquires("B").call("A", "release");
  EXPECT_THAT(lies(late.answer("A", "release", "stolen")), IsEmpty());
  Tale expired;
  expired.acquires("A").server("expired").call("A", "release").answer("A", "release", "expired");
  EXPECT_THAT(lies(expired), IsEmpty());
}

TEST(JudgeTruthfulOutcomes, UnknownIsNeverUntrue) {
  EXPECT_THAT(lies(Tale().call("A", "acquire").server("set").answer("A", "acquire", "unknown")),
              IsEmpty());
  EXPECT_THAT(lies(Tale()
                       .acquires("A")
                       .call("A", "release")
                       .server("del")
                       .answer("A", "release", "unknown")),
              IsEmpty());
}

// Re-entry and several servers.

TEST(JudgeTruthfulOutcomes, BelievesARepeatedAcquireOfWhoHoldsIt) {
  EXPECT_THAT(lies(Tale().acquires("A").call("A", "acquire").answer("A", "acquire", "acquired")),
              IsEmpty());
}

TEST(JudgeTruthfulOutcomes, BelievesAnInnerRelease) {
  EXPECT_THAT(lies(Tale().acquires("A").call("A", "release").answer("A", "release", "still_held")),
              IsEmpty());
}

TEST(JudgeTruthfulOutcomes, SeesAnInnerReleaseThatFreedTheLock) {
  EXPECT_THAT(lies(Tale()
                       .acquires("A")
                       .call("A", "release")
                       .server("del")
                       .answer("A", "release", "still_held")),
              ElementsAre(HasSubstr("but the server does not hold the lock for it")));
}

TEST(JudgeTruthfulOutcomes, AMajorityMakesAnAcquireTrue) {
  EXPECT_THAT(lies(Tale(5).acquires_on({1, 2, 3}, "A")), IsEmpty());
  EXPECT_THAT(lies(Tale(5).acquires_on({1, 2}, "A")),
              ElementsAre(HasSubstr("but only 2 of 5 servers gave it the lock")));
}

TEST(JudgeTruthfulOutcomes, OnlyAMajorityThatStaysMakesARefusalUntrue) {
  Tale taken_back(5);
  taken_back.call("A", "acquire").asks("A", {1, 2, 3}, "set").asks("A", {2, 3}, "del", "DEL lock");
  EXPECT_THAT(lies(taken_back.answer("A", "acquire", "contended")), IsEmpty());
  Tale left(5);
  left.call("A", "acquire").asks("A", {1, 2, 3}, "set");
  EXPECT_THAT(lies(left.answer("A", "acquire", "contended")),
              ElementsAre(HasSubstr("but the server had given it the lock")));
}

TEST(JudgeTruthfulOutcomes, OneServersKeyMakesAReleaseTrue) {
  Tale tale(5);
  tale.acquires_on(five, "A").server_on({1, 2, 3, 4}, "expired");
  EXPECT_THAT(lies(Tale(tale).releases_on({5}, "A")), IsEmpty());
  EXPECT_THAT(
      lies(tale.server_on({5}, "expired").call("A", "release").answer("A", "release", "released")),
      ElementsAre(HasSubstr("but no lock was removed")));
}

TEST(JudgeTruthfulOutcomes, AMajorityThatIsLeftMakesALossUntrue) {
  Tale tale(5);
  tale.acquires_on(five, "A").server_on({1, 2}, "expired").call("A", "release");
  EXPECT_THAT(lies(Tale(tale).answer("A", "release", "expired")),
              ElementsAre(HasSubstr("but the server still holds the lock for it")));
  EXPECT_THAT(lies(tale.server_on({3}, "expired").answer("A", "release", "expired")), IsEmpty());
}

TEST(JudgeTruthfulOutcomes, AMinorityThatIsRemovedLeavesALossTrue) {
  Tale tale(5);
  tale.acquires_on(five, "A").server_on({1, 2, 3}, "expired");
  EXPECT_THAT(lies(tale.releases_on({4, 5}, "A", "expired")), IsEmpty());
}

}  // namespace
}  // namespace faults
