// The progress of a learner, changed from several terminals.
#include "tools/learning/progress.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
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

  // What a check of `exercise` makes of the attempt at it.
  Attempt kept(const std::string& exercise, const Attempt& before, const CheckReport& checked) {
    in_another_terminal([&](Progress& progress) {
      progress.at = exercise;
      progress.attempts[exercise] = before;
    });
    LearnerSession session({.common = {}, .directory = learn()});
    keep(session, checked);
    return read_progress(learn()).attempts.at(exercise);
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

TEST_F(ProgressOfALearner, ForgetsTheHintsOfAnotherPart) {
  const auto hints_after = [&](const std::string& scenario) {
    in_another_terminal([](Progress& progress) {
      progress.at = "1";
      progress.attempts["1"] = {.state = "red", .hints = 2, .scenario = "work_throws"};
    });
    LearnerSession session({.common = {}, .directory = learn()});
    keep(session,
         CheckReport{.built = {.client = {"client"}},
                     .trials = {{.scenario = scenario, .verdict = faults::Verdict::violated}}});
    return read_progress(learn()).attempts.at("1").hints;
  };
  EXPECT_EQ(hints_after("same_thread_id"), 0);
  EXPECT_EQ(hints_after("work_throws"), 2);
}

TEST_F(ProgressOfALearner, KeepsItsHintsInTheSamePart) {
  const Attempt red{.state = "red", .hints = 2, .scenario = "stranger_release"};
  const CheckReport checked{
      .built = {.client = {"client"}},
      .trials = {{.scenario = "killed_mid_acquire", .verdict = faults::Verdict::violated}}};
  EXPECT_EQ(kept("3", red, checked).hints, 0) << "of its second part to its first";
  auto same = red;
  same.scenario = "killed_mid_acquire";
  EXPECT_EQ(kept("3", same, checked).hints, 2);
}

TEST_F(ProgressOfALearner, GoesOnToTheNextPart) {
  CheckReport checked{.built = {.client = {"a program"}}, .promises = 9, .solved = 1};
  checked.trials = {{.scenario = "killed_mid_acquire", .verdict = faults::Verdict::holds}};
  checked.yet_to_come = true;
  const auto attempt = kept("3", {.state = "red", .hints = 2}, checked);
  EXPECT_EQ(attempt.part, 1U);
  EXPECT_EQ(attempt.hints, 0);
  EXPECT_EQ(attempt.state, "begun");
  EXPECT_FALSE(attempt.solved);
}

TEST_F(ProgressOfALearner, SaysThatItDoesNotCompile) {
  const auto attempt = kept("3", {}, {.built = {.error = "lock.cpp:7: error: no"}});
  EXPECT_EQ(attempt.state, "red");
  EXPECT_EQ(attempt.scenario, the_build);
  EXPECT_EQ(attempt.sentence, "it does not compile: lock.cpp:7: error: no");
}

TEST_F(ProgressOfALearner, WasSolvedIfItIsGreenInAnOldFile) {
  std::filesystem::create_directories(learn());
  std::ofstream(learn() / "progress.json") << R"({"exercises": {"1": {"state": "green"}}})";
  EXPECT_TRUE(read_progress(learn()).attempts.at("1").solved);
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

TEST(AttemptAtAnExercise, HasTheMedianOfItsRuns) {
  EXPECT_EQ(Attempt{}.median_minutes(), 0);
  EXPECT_EQ((Attempt{.minutes = {9, 1, 5}}).median_minutes(), 5);
}

TEST(AttemptAtAnExercise, HasNoMinutesIfItsBeginIsNotKnown) {
  Attempt attempt;
  attempt.solve();
  EXPECT_TRUE(attempt.solved);
  EXPECT_TRUE(attempt.minutes.empty());
}

TEST(AttemptAtAnExercise, TakesAtLeastAMinute) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  Attempt attempt{.begun_at = now};
  attempt.solve();
  attempt.begun_at = now - 600;
  attempt.solve();
  EXPECT_EQ(attempt.minutes, (std::vector{1, 10}));
}

}  // namespace
}  // namespace learning
