// The outcome of a run, in the words of a guess, and whether a guess was right.
#include "tools/learning/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/judging/testing/history_builder.h"
#include "tools/learning/progress.h"
#include "tools/table/stages.h"

namespace learning {
namespace {

using faults::Property;
using faults::Verdict;
using testing::ElementsAre;
using testing::IsEmpty;

faults::Execution telling(const std::string& boundary, std::vector<Property> broken = {}) {
  faults::Execution told{.boundary = boundary, .judgement = {}, .history = {}};
  if (!broken.empty()) told.judgement.verdict = Verdict::violated;
  for (const auto property : broken)
    told.judgement.findings.push_back({.property = property, .inside = {"C", "B"}});
  return told;
}

Outcome outcome_of(std::vector<faults::Execution> tellings) {
  return learning::outcome_of({.stage = {},
                               .scenario = {},
                               .directory = {},
                               .executions = std::move(tellings),
                               .again = {}});
}

TEST(OutcomeOf, IsTheWorstThatCame) {
  EXPECT_EQ(outcome_of({telling("")}).what, "holds");
  EXPECT_EQ(outcome_of({telling("", {Property::liveness})}).what, "stuck");
  EXPECT_EQ(outcome_of({telling("", {Property::liveness, Property::mutual_exclusion})}).what,
            "two inside: B and C");
  EXPECT_EQ(outcome_of({telling("", {Property::owner_only_release})}).what, "something else");
  EXPECT_EQ(outcome_of({}).what, "something else");
}

TEST(OutcomeOf, IsWhereItCameToThat) {
  const std::string on_the_way = "release, after GET was sent, before it was applied";
  const std::string between = "release, after GET was answered, before DEL was sent";
  const std::string before_the_answer = "release, after DEL was applied, before its answer arrived";
  const auto outcome =
      outcome_of({telling(on_the_way), telling(between, {Property::mutual_exclusion}),
                  telling(before_the_answer, {Property::liveness})});
  EXPECT_EQ(outcome.what, "two inside: B and C");
  EXPECT_THAT(outcome.where, ElementsAre("between two commands"));
  EXPECT_THAT(outcome_of({telling("")}).where, IsEmpty());
}

TEST(OutcomeOf, NamesAPlaceOnce) {
  const std::string between = "release, after GET was answered, before DEL was sent";
  const std::string later = "release, after PTTL was answered, before DEL was sent";
  EXPECT_THAT(
      outcome_of({telling(between, {Property::liveness}), telling(later, {Property::liveness})})
          .where,
      ElementsAre("between two commands"));
}

TEST(OutcomeOf, IsTwoInsideWhereNoServerWasAsked) {
  faults::HistoryBuilder history;
  history.needs({"command"});
  for (const auto* client : {"A", "B"}) {
    history.call(client, "acquire").answer(client, "acquire", "acquired");
  }
  history.call("A", "work").reads("A", 0).call("B", "work").reads("B", 0);
  history.writes("A", 1).answer("A", "work", "done").writes("B", 1).answer("B", "work", "done");
  EXPECT_EQ(learning::outcome_of(history.record).what, "two inside: A and B");
}

TEST(OutcomeOf, NamesThoseInsideWhomOneIsShown) {
  auto first =
      telling("acquire, after SET was sent, before it was applied", {Property::mutual_exclusion});
  first.judgement.findings.front().inside = {"A", "B"};
  const auto shown =
      telling("release, after GET was answered, before DEL was sent", {Property::mutual_exclusion});
  const auto outcome = outcome_of({first, shown});
  EXPECT_EQ(outcome.what, "two inside: B and C");
  EXPECT_THAT(outcome.where, ElementsAre("between two commands"));
}

TEST(OutcomeOf, KnowsEveryBoundaryAtWhichAStageBreaks) {
  auto stages = table::all_stages();
  for (auto& relative : table::all_relatives()) stages.push_back(std::move(relative));
  int boundaries = 0;
  for (const auto& stage : stages) {
    for (const auto& [scenario, declared] : stage.declared) {
      for (const auto& boundary : declared.boundaries) {
        EXPECT_NE(kind_of_boundary(boundary), "") << stage.name << ": " << boundary;
        ++boundaries;
      }
    }
  }
  EXPECT_GT(boundaries, 0);
}

TEST(GuessOf, NoPlaceIsRightWithTheWordAlone) {
  Guess guess{.lock = "exercise4",
              .scenario = "frozen_mid_release",
              .guessed = "stuck",
              .happened = "stuck",
              .happened_at = {"on the way"}};
  EXPECT_TRUE(guess.was_right());
  guess.happened = "holds";
  EXPECT_FALSE(guess.was_right());
}

TEST(GuessOf, APlaceMustBeOneOfThose) {
  Guess guess{.lock = "exercise4",
              .scenario = "frozen_mid_release",
              .guessed = "stuck",
              .happened = "stuck",
              .guessed_at = "on the way",
              .happened_at = {"before the answer", "on the way"}};
  EXPECT_TRUE(guess.was_right());
  guess.happened_at.pop_back();
  EXPECT_FALSE(guess.was_right());
}

TEST(GuessOf, APlaceIsRightWhereNoPlaceCanBeTold) {
  EXPECT_TRUE((Guess{.lock = "exercise1",
                     .scenario = "killed_holder",
                     .guessed = "stuck",
                     .happened = "stuck",
                     .guessed_at = "on the way"})
                  .was_right());
}

}  // namespace
}  // namespace learning
