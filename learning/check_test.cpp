// What a check shows of all that is red.
#include "learning/check.h"

#include <gtest/gtest.h>

namespace learning {
namespace {

Trial told(const std::string& scenario, faults::Verdict verdict, bool explained = true) {
  Trial trial{.scenario = scenario, .verdict = verdict};
  if (!trial.holds()) trial.diagnosis = Diagnosis{.key = "any", .in_general = !explained};
  return trial;
}

std::string shown_of(const std::vector<Trial>& trials) {
  const Checked checked{.trials = trials};
  return checked.red() == nullptr ? "" : checked.red()->scenario;
}

constexpr auto holds = faults::Verdict::holds;
constexpr auto violated = faults::Verdict::violated;

TEST(Checked, ShowsItsOwnStoryBeforeAllOthers) {
  EXPECT_EQ(shown_of({told("own", violated, false), told("other", violated)}), "own");
}

TEST(Checked, ShowsWhatIsExplainedBeforeWhatIsNot) {
  const auto general = told("general", violated, false);
  EXPECT_EQ(shown_of({told("own", holds), general, told("other", violated)}), "other");
  EXPECT_EQ(shown_of({told("own", holds), general}), "general");
}

TEST(Checked, ShowsWhatIsExplainedMostSpecificallyFirst) {
  auto one = told("one", violated);
  auto other = told("other", violated);
  one.diagnosis->place = 7;
  other.diagnosis->place = 3;
  EXPECT_EQ(shown_of({told("own", holds), one, other}), "other");
  EXPECT_EQ(shown_of({one, other}), "one");  // its own story's
}

TEST(Checked, ShowsWhatTheMachineDidNotKeepUpWithLast) {
  const auto slow = told("slow", faults::Verdict::inconclusive, false);
  EXPECT_EQ(shown_of({told("own", holds), slow, told("general", violated, false)}), "general");
  EXPECT_EQ(shown_of({told("own", holds), slow}), "slow");
}

TEST(Checked, IsNeitherGreenNorRedIfTheMachineDidNotKeepUp) {
  const auto code = [](const std::vector<Trial>& trials) {
    return exit_code({.built = {.client = "client"}, .trials = trials, .promises = 2});
  };
  const auto slow = told("slow", faults::Verdict::inconclusive, false);
  auto waited = told("waited", faults::Verdict::not_exercised, false);
  waited.diagnosis->key = Diagnosis::of_the_machine;
  EXPECT_EQ(code({told("own", holds), slow}), 3);
  EXPECT_EQ(code({slow, told("other", holds)}), 3);
  EXPECT_EQ(code({told("own", holds), waited}), 3);
  EXPECT_EQ(code({slow, told("other", violated)}), 1);
  EXPECT_EQ(code({told("own", holds), told("other", violated)}), 1);
  EXPECT_EQ(code({told("own", holds), told("other", holds)}), 0);
}

TEST(Checked, ShowsNothingOfWhatHolds) {
  EXPECT_EQ(shown_of({told("own", holds), told("other", holds)}), "");
}

}  // namespace
}  // namespace learning
