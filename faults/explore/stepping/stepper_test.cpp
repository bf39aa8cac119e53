// A person steps through real locks: by the words that a person types.
#include "faults/explore/stepping/stepper.h"

#include <gmock/gmock.h>

#include <sstream>

#include "faults/explore/search/option_names.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace {

using testing::HasSubstr;
using testing::Not;

class StepperTest : public testing::Test {
 protected:
  static explore::WorldPlan world() {
    const auto stage = std::filesystem::path(LAB_SOURCE_DIR) / "stage3_set_nx_px";
    const auto client =
        std::filesystem::path(LAB_BINARY_DIR) / "stage3_set_nx_px" / "stage3_set_nx_px_client";
    return {.stage = faults::load_tested_lock(stage, {client.native()}),
            .redis = faults::find_redis(),
            .judged = explore::properties_from("")};
  }
  // All that is shown after these lines.
  std::string said(const std::vector<std::string>& words) {
    out.str("");
    for (const auto& word : words) {
      EXPECT_TRUE(stepper.obey(word)) << word;
    }
    return out.str();
  }
  // The number that `label` has in what was shown last.
  [[nodiscard]] std::string number_of(const std::string& label) const {
    std::istringstream lines(shown);
    std::string number = "not listed";
    for (std::string line; std::getline(lines, line);) {
      const auto at = line.find("  " + label);
      const bool is_listed = line.starts_with("  ") && at != std::string::npos &&
                             line.find_first_not_of(" 0123456789") == at + 2;
      if (is_listed) number = line.substr(0, at);
    }
    return number;
  }
  void happen(const std::vector<std::string>& labels) {
    for (const auto& label : labels) shown = said({number_of(label)});
  }

  void SetUp() override {
    stepper.begin({});
    shown = out.str();
  }

  faults::Reaper reaper;
  std::ostringstream out;
  explore::Stepper stepper{world(), reaper, out, {}};
  std::string shown;
};

TEST_F(StepperTest, ShowsWhoHasWhat) {
  EXPECT_THAT(shown, HasSubstr("A       has not begun"));
  EXPECT_THAT(shown, HasSubstr("the servers have no key"));
  happen({"A: begin", "A: send SET", "A: reply SET"});
  EXPECT_THAT(shown, HasSubstr("A       in work               believes that it holds the lock"));
  EXPECT_THAT(shown, testing::ContainsRegex("redis   lock = .*…, set by A, ends in 300 ms"));
  EXPECT_THAT(shown, HasSubstr("nothing is broken so far"));
}

TEST_F(StepperTest, LeadsToTheBugOfStage3) {
  happen({"A: begin", "A: send SET", "A: reply SET"});
  for (int i = 0; i < 3; ++i) shown = said({"next", ""});  // READ, BEGIN, WRITE
  happen({"A: send GET", "A: freeze", "time: to the end of the lease", "B: begin", "B: send SET",
          "B: reply SET", "A: thaw", "A: reply GET", "A: send DEL"});
  EXPECT_THAT(shown, HasSubstr("broken: owner-only release"));
  EXPECT_EQ(stepper.verdict(), faults::Verdict::violated);
}

TEST_F(StepperTest, GoesBackWithFreshKeys) {
  happen({"A: begin", "A: send SET", "A: reply SET"});
  shown = said({"back 1"});
  EXPECT_THAT(shown, HasSubstr("after step 1 "));
  EXPECT_THAT(shown, HasSubstr("the servers have no key"));
  happen({"A: send SET", "A: kill"});
  EXPECT_THAT(shown, HasSubstr("A       dead"));
  EXPECT_THAT(said({"back 100"}), HasSubstr("this is after step 3"));
  EXPECT_THAT(said({"back 0"}), HasSubstr("after step 0 "));
  EXPECT_THAT(said({"back"}), HasSubstr("this is the beginning"));
}

TEST_F(StepperTest, RunsToTheEndAndGoesBackFromThere) {
  EXPECT_THAT(said({"go"}), testing::AllOf(HasSubstr("holds: every property stood"),
                                           HasSubstr("The run has ended")));
  EXPECT_EQ(stepper.verdict(), faults::Verdict::holds);
  EXPECT_THAT(said({"1"}), HasSubstr("The run has ended"));
  EXPECT_THAT(said({"back"}), HasSubstr("what can happen next"));
  EXPECT_EQ(stepper.verdict(), faults::Verdict::not_exercised);
}

TEST_F(StepperTest, KeepsASchedule) {
  const faults::TempDir directory(reaper);
  const auto file = directory.path() / "my schedule";
  happen({"A: begin", "A: send SET", "A: lose reply SET"});
  EXPECT_THAT(said({"save " + file.native()}), HasSubstr("./lab replay '" + file.native() + "'"));
  const auto kept = explore::read_schedule(file);
  EXPECT_EQ(kept.lock, "stage3_set_nx_px");
  ASSERT_EQ(kept.steps.size(), 3);
  EXPECT_EQ(kept.steps.back().label, "A: lose reply SET");
}

TEST_F(StepperTest, SearchesFromHereOn) {
  happen({"A: begin", "A: send SET", "A: reply SET"});
  for (int i = 0; i < 3; ++i) shown = said({"next", ""});
  EXPECT_THAT(said({"search"}),
              testing::AllOf(HasSubstr("explore   violated"), HasSubstr("You are where you were")));
  happen({"A: send GET"});
  EXPECT_THAT(shown, HasSubstr("A: reply GET"));
}

TEST_F(StepperTest, SaysWhatItDoesNotKnow) {
  EXPECT_THAT(said({"?"}), HasSubstr("back [N]"));
  EXPECT_THAT(said({"dance"}), HasSubstr("\"dance\" is none of the words here"));
  EXPECT_THAT(said({"99"}), HasSubstr("there are 1 to 2"));
  EXPECT_THAT(said({"save"}), HasSubstr("save needs a file"));
  EXPECT_FALSE(stepper.obey("quit"));
}

}  // namespace
