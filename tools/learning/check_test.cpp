// A check's report: what is red, and whether it is green.
#include "tools/learning/check.h"

#include <gtest/gtest.h>

#include "tools/terminal/exit_codes.h"

namespace learning {
namespace {

using faults::Verdict;

const Diagnosis mistake{.key = "no_lease", .sentence = "", .where = "", .look_at = ""};

CheckReport report_of(std::vector<Trial> trials) {
  const auto count = trials.size();
  return {.built = {.client = {"client"}}, .trials = std::move(trials), .promises = count};
}

TEST(CheckReport, IsGreenIfAllHold) {
  EXPECT_TRUE(report_of({{.scenario = "one", .verdict = Verdict::holds}}).is_green());
}

TEST(CheckReport, IsNotGreenIfAPromiseDidNotRun) {
  auto checked = report_of({{.scenario = "one", .verdict = Verdict::holds}});
  checked.promises = 2;
  EXPECT_FALSE(checked.is_green());
}

TEST(CheckReport, IsNotGreenDespiteARemark) {
  const auto checked =
      report_of({{.scenario = "one", .verdict = Verdict::holds},
                 {.scenario = "two", .verdict = Verdict::holds, .mistakes = {mistake}}});
  EXPECT_EQ(checked.red(), nullptr);
  EXPECT_EQ(checked.remarked(), &checked.trials[1]);
  EXPECT_FALSE(checked.is_green());
}

TEST(CheckReport, ShowsTheFirstThatIsRed) {
  const auto checked = report_of({{.scenario = "one", .verdict = Verdict::holds},
                                  {.scenario = "two", .verdict = Verdict::violated},
                                  {.scenario = "three", .verdict = Verdict::violated}});
  EXPECT_EQ(checked.red(), &checked.trials[1]);
}

TEST(CheckReport, ShowsTheFirstMistakeBeforeAMereLoss) {
  const auto checked =
      report_of({{.scenario = "one", .verdict = Verdict::holds},
                 {.scenario = "two", .verdict = Verdict::violated},
                 {.scenario = "three", .verdict = Verdict::violated, .mistakes = {mistake}},
                 {.scenario = "four", .verdict = Verdict::violated, .mistakes = {mistake}}});
  EXPECT_EQ(checked.red(), &checked.trials[2]);
}

TEST(CheckReport, ShowsNothingOnlyIfNothingElseIsRed) {
  auto checked = report_of({{.scenario = "one", .verdict = Verdict::inconclusive},
                            {.scenario = "two", .verdict = Verdict::not_exercised}});
  EXPECT_EQ(checked.red(), &checked.trials[1]);
  EXPECT_FALSE(checked.shows_nothing());
  checked.trials.pop_back();
  EXPECT_TRUE(checked.shows_nothing());
}

TEST(CheckReport, IsGreenIfAPromiseIsYetToCome) {
  auto checked = report_of({{.scenario = "one", .verdict = Verdict::holds}});
  checked.promises = 2;
  checked.yet_to_come = true;
  EXPECT_TRUE(checked.is_green());
}

TEST(CheckReport, IsNotGreenIfOneIsRedOrItIsNotBuilt) {
  EXPECT_FALSE(report_of({{.scenario = "one", .verdict = Verdict::violated}}).is_green());
  auto checked = report_of({{.scenario = "one", .verdict = Verdict::holds}});
  checked.built.client.clear();
  EXPECT_FALSE(checked.is_green());
}

TEST(CheckReport, RemarksNothingIfOneIsRed) {
  const auto checked =
      report_of({{.scenario = "one", .verdict = Verdict::holds, .mistakes = {mistake}},
                 {.scenario = "two", .verdict = Verdict::violated}});
  EXPECT_EQ(checked.remarked(), nullptr);
}

TEST(CheckReport, ShowsItsOwnStoryBeforeAMistake) {
  const auto checked =
      report_of({{.scenario = "one", .verdict = Verdict::violated},
                 {.scenario = "two", .verdict = Verdict::violated, .mistakes = {mistake}}});
  EXPECT_EQ(checked.red(), &checked.trials[0]);
}

TEST(CheckReport, ShowsACrashBeforeWhatDidNotCome) {
  const auto checked =
      report_of({{.scenario = "one", .verdict = Verdict::not_exercised},
                 {.scenario = "two", .verdict = Verdict::not_exercised, .broken_off = true}});
  EXPECT_EQ(checked.red(), &checked.trials[1]);
}

TEST(CheckReport, ShowsHowBadlyItRenewsBeforeThatItDoes) {
  const Diagnosis renewed{
      .key = "renews_a_given_lease", .sentence = "", .where = "", .look_at = ""};
  const auto checked =
      report_of({{.scenario = "one", .verdict = Verdict::holds},
                 {.scenario = "two", .verdict = Verdict::not_exercised, .mistakes = {renewed}},
                 {.scenario = "three", .verdict = Verdict::violated}});
  EXPECT_EQ(checked.red(), &checked.trials[2]);
}

TEST(CheckReport, ShowsNothingIfTheSearchRanTooLittle) {
  auto checked = report_of({{.scenario = "one", .verdict = Verdict::holds}});
  checked.searched.trouble = "it diverged";
  EXPECT_FALSE(checked.is_green());
  EXPECT_TRUE(checked.shows_nothing());
  EXPECT_EQ(exit_code(checked), terminal::exit_not_shown);
  checked.trials[0].mistakes = {mistake};
  EXPECT_FALSE(checked.shows_nothing()) << "there is something to say";
  checked.trials[0].verdict = Verdict::violated;
  EXPECT_FALSE(checked.shows_nothing());
}

TEST(CheckReport, HasAnExitCodeForEachEnd) {
  const auto code = [](Verdict verdict) {
    return exit_code(report_of({{.scenario = "one", .verdict = verdict}}));
  };
  EXPECT_EQ(code(Verdict::holds), terminal::exit_holds);
  EXPECT_EQ(code(Verdict::violated), terminal::exit_violated);
  EXPECT_EQ(code(Verdict::inconclusive), terminal::exit_not_shown);
}

TEST(TrialKey, IsThatOfTheMostSpecificMistake) {
  Trial trial{.scenario = "one", .verdict = Verdict::violated};
  trial.broken = {faults::Property::liveness};
  EXPECT_EQ(trial.key(), "liveness");
  trial.broken_off = true;
  EXPECT_EQ(trial.key(), "broken off");
  trial.mistakes = {mistake, {.key = "another", .sentence = "", .where = "", .look_at = ""}};
  EXPECT_EQ(trial.key(), "no_lease");
}

}  // namespace
}  // namespace learning
