// The progress of a learner, changed from several terminals.
#include "tools/learning/progress.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "faults/kit/reaper.h"
#include "faults/kit/temp_dir.h"
#include "tools/learning/check.h"
#include "tools/learning/learner_session.h"

namespace learning {
namespace {

class ProgressOfALearner : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path learn() const { return directory_.path() / "learn"; }

  void in_another_terminal(const std::function<void(Progress&)>& change) const {
    change_progress(learn(), change);
  }

 private:
  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
};

TEST_F(ProgressOfALearner, KeepsWhatIsAskedForWhileACheckRuns) {
  in_another_terminal([](Progress& progress) { progress.at = "1"; });
  LearnerSession session({.common = {}, .directory = learn()});
  in_another_terminal([](Progress& progress) {
    progress.at = "4";
    progress.attempts["1"].hints = 2;
    progress.attempts["4"].state = "begun";
  });
  keep(session,
       CheckReport{.trials = {{.scenario = "overtaken", .verdict = faults::Verdict::violated}}});
  const auto progress = read_progress(learn());
  EXPECT_EQ(progress.at, "4");
  EXPECT_EQ(progress.attempts.at("1").hints, 2);
  EXPECT_EQ(progress.attempts.at("1").state, "red");
  EXPECT_EQ(progress.attempts.at("4").state, "begun");
  EXPECT_EQ(session.here().name, "1") << "what a check says is of what it has checked";
}

TEST_F(ProgressOfALearner, StaysAsItWasIfTheMachineDidNotKeepUp) {
  in_another_terminal([](Progress& progress) {
    progress.at = "1";
    progress.attempts["1"] = {.state = "green", .checks = 3};
  });
  LearnerSession session({.common = {}, .directory = learn()});
  keep(session,
       CheckReport{.trials = {{.scenario = "own", .verdict = faults::Verdict::inconclusive}}});
  const auto attempt = read_progress(learn()).attempts.at("1");
  EXPECT_EQ(attempt.state, "green");
  EXPECT_EQ(attempt.checks, 3);
  EXPECT_EQ(attempt.scenario, "");
}

TEST_F(ProgressOfALearner, IsChangedByOneAtATime) {
  constexpr int terminals = 4;
  constexpr int guesses_of_each = 25;
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < terminals; ++i) {
      all.emplace_back([this, i] {
        for (int j = 0; j < guesses_of_each; ++j) {
          in_another_terminal([i](Progress& progress) {
            progress.guesses.push_back({.lock = fmt::format("exercise{}", i)});
          });
        }
      });
    }
  }
  EXPECT_EQ(read_progress(learn()).guesses.size(), terminals * guesses_of_each);
}

}  // namespace
}  // namespace learning
