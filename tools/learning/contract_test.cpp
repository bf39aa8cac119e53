// The contract with the learner: an exercise fails until it is solved, for the reason it tells; a
// mistake gets the sentence that names it, and no other; a lock that is right in another way than
// ours is green. (That our stages hold is what their own tests say.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "faults/explore/search/schedule.h"
#include "faults/kit/temp_dir.h"
#include "faults/world/world.h"
#include "tools/learning/counter_example.h"
#include "tools/learning/learners_scenarios.h"
#include "tools/learning/trial.h"

namespace learning {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class Contract : public testing::Test {
 protected:
  // Runs a lock under a scenario; again, if the machine stood still and nothing was said of it.
  Trial run(const Exercise& exercise, std::vector<std::string> client, const fs::path& sources,
            const std::string& scenario, const std::string& key) {
    constexpr int most_times = 5;
    // Python, which starts faster without the packages that are installed.
    if (client.size() > 1) client.insert(client.end() - 2, "-S");
    const auto lock = lock_under_test(exercise, client, sources);
    Trial trial;
    for (int i = 0; i < most_times; ++i) {
      trial = try_lock(
          exercise, lock, scenario_named(exercise, scenario),
          {.redis = faults::find_redis(), .runs = directory_.path() / std::to_string(i)}, reaper_);
      const bool as_expected = trial.holds() ? key.empty() : trial.key() == key;
      if (as_expected || !stood_still(trial)) break;
    }
    history_ = trial.history;
    return trial;
  }

  // The history: its directory is gone when somebody wants to know.
  void TearDown() override {
    if (HasFailure() && !history_.empty()) std::cerr << std::ifstream(history_).rdbuf();
  }

 private:
  // Also one that is for learners' locks only.
  static const faults::Scenario& scenario_named(const Exercise& exercise, const std::string& name) {
    for (const auto* promise : promises_of(exercise)) {
      if (promise->name == name) return *promise;
    }
    return *faults::find_scenario(name);
  }
  static bool stood_still(const Trial& trial) {
    if (trial.shows_nothing()) return true;
    return !trial.history.empty() &&
           faults::Trace(faults::read_record(trial.history)).stood_still();
  }

  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
  fs::path history_;  // of the last run
};

std::vector<std::string> keys_of(const Trial& trial) {
  std::vector<std::string> keys;
  for (const auto& mistake : trial.mistakes) keys.push_back(mistake.key);
  return keys;
}

class LearnExercise : public Contract, public testing::WithParamInterface<std::string> {};

TEST_P(LearnExercise, FailsUnsolvedForTheReasonItTells) {
  const auto exercise = exercise_named(GetParam());
  const auto trial = run(exercise, exercise.client_of_start(), exercise.solution(),
                         exercise.scenario(), exercise.unsolved.says);
  EXPECT_THAT(trial.broken, testing::UnorderedElementsAreArray(exercise.unsolved.broken))
      << to_string(trial.verdict) << ": " << trial.sentence;
  EXPECT_THAT(keys_of(trial), ElementsAre(exercise.unsolved.says)) << trial.sentence;
}

// In Python: our stages' own tests say nothing of it.
TEST_F(Contract, IsSolvedInPython) {
  for (const auto& exercise : all_exercises()) {
    if (!exercise.is_python()) continue;
    const auto trial =
        run(exercise, exercise.client_of_ours(), exercise.solution(), exercise.scenario(), "");
    EXPECT_TRUE(trial.holds()) << exercise.name << ": " << trial.sentence;
    EXPECT_THAT(keys_of(trial), testing::IsEmpty());
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& exercise : all_exercises()) names.push_back(exercise.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, LearnExercise, testing::ValuesIn(all_names()),
                         [](const auto& instance) { return instance.param; });

class LearnWrongLock : public Contract, public testing::WithParamInterface<std::string> {};

fs::path wrong_locks() {
  return fs::path(LAB_SOURCE_DIR) / "tools/learning/wrong_locks";
}

// The lines before the difference to ours, each "key: value".
std::map<std::string, std::string> expected_of(const std::string& name) {
  std::map<std::string, std::string> expected;
  std::ifstream file(wrong_locks() / (name + ".diff"));
  for (std::string line; std::getline(file, line) && !line.starts_with("--- ");) {
    const auto colon = line.find(": ");
    expected[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return expected;
}

// One that is right in another way says nothing.
TEST_P(LearnWrongLock, GetsTheSentenceThatNamesItsMistake) {
  auto expected = expected_of(GetParam());
  const auto& says = expected["says"];
  const bool holds = expected["holds"] == "true";
  const auto built = fs::path(LAB_BINARY_DIR) / "tools/learning";
  const auto exercise = exercise_named(expected["exercise"]);
  const auto trial = run(exercise, {built / (GetParam() + "_client")},
                         built / "wrong_locks" / GetParam() / exercise.stage, expected["scenario"],
                         holds ? "" : says);
  EXPECT_EQ(trial.holds(), holds) << to_string(trial.verdict) << ": " << trial.sentence;
  const auto keys = says.empty() ? std::vector<std::string>{} : std::vector{says};
  EXPECT_THAT(keys_of(trial), testing::ElementsAreArray(keys)) << trial.sentence;
}

std::vector<std::string> all_wrong_locks() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(wrong_locks())) {
    names.push_back(entry.path().stem().native());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, LearnWrongLock, testing::ValuesIn(all_wrong_locks()),
                         [](const auto& instance) { return instance.param; });

class LearnPythonLock : public Contract, public testing::WithParamInterface<std::string> {};

fs::path python_locks() {
  return fs::path(LAB_SOURCE_DIR) / "tools/learning/python_locks";
}

// The lines at the top of a lock.py, each "# key: value".
std::map<std::string, std::string> expected_in_python(const std::string& name) {
  std::map<std::string, std::string> expected;
  std::ifstream file(python_locks() / name / "lock.py");
  for (std::string line; std::getline(file, line) && line.starts_with("# ");) {
    const auto colon = line.find(": ");
    expected[line.substr(2, colon - 2)] = line.substr(colon + 2);
  }
  return expected;
}

TEST_P(LearnPythonLock, IsFoundRightOrWrong) {
  auto expected = expected_in_python(GetParam());
  const auto exercise = exercise_named(expected["exercise"]);
  auto client = exercise_named("python1").client_of_ours();
  client.back() = python_locks() / GetParam();
  std::istringstream scenarios(expected["scenarios"]);
  for (std::string scenario; scenarios >> scenario;) {
    const bool holds = expected["holds"] == "true";
    const auto remark = holds && !expected["says"].empty() ? std::vector{expected["says"]}
                                                           : std::vector<std::string>{};
    const auto says = expected["says"].empty() ? expected["broken"] : expected["says"];
    const auto trial = run(exercise, client, client.back(), scenario, holds ? "" : says);
    EXPECT_EQ(trial.holds(), holds)
        << scenario << ": " << to_string(trial.verdict) << ": " << trial.sentence;
    EXPECT_TRUE(holds ? keys_of(trial) == remark : trial.key() == says)
        << scenario << ": " << trial.key() << ": " << trial.sentence;
  }
}

std::vector<std::string> all_python_locks() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(python_locks())) {
    if (entry.is_directory()) names.push_back(entry.path().filename().native());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, LearnPythonLock, testing::ValuesIn(all_python_locks()),
                         [](const auto& instance) { return instance.param; });

// Ours withstand what only learners' locks meet: each exercise's own, and all in its language.
class LearnersScenarios : public Contract, public testing::WithParamInterface<std::string> {};

TEST_P(LearnersScenarios, AreHeldByOurLock) {
  const auto exercise = exercise_named(GetParam());
  for (const auto* scenario : learners_scenarios(exercise.number())) {
    const auto trial =
        run(exercise, exercise.client_of_ours(), exercise.ours(), scenario->name, "");
    EXPECT_TRUE(trial.holds()) << scenario->name << ": " << to_string(trial.verdict) << ": "
                               << trial.sentence;
    EXPECT_THAT(keys_of(trial), testing::IsEmpty()) << scenario->name;
  }
}

// A later lock keeps what the earlier ones gained.
INSTANTIATE_TEST_SUITE_P(All, LearnersScenarios, testing::Values("1", "6", "8", "python4"),
                         [](const auto& instance) { return instance.param; });
INSTANTIATE_TEST_SUITE_P(Long, LearnersScenarios,
                         testing::Values("2", "3", "4", "5", "7", "python1", "python2", "python3"),
                         [](const auto& instance) { return instance.param; });

// It may be the lock's doing: a server that runs a script without end answers nobody else.
TEST_F(Contract, AServersRefusalBreaksTheRunOff) {
  const auto exercise = exercise_named("1");
  const auto lock = solution_of(exercise);
  const faults::Scenario scenario{.name = "test", .run = [](faults::World& world) {
                                    (void)world.servers.at(0).direct().command({"NONSENSE"});
                                  }};
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  const auto trial = try_lock(exercise, lock, scenario,
                              {.redis = faults::find_redis(), .runs = directory.path()}, reaper);
  EXPECT_TRUE(trial.broken_off);
  EXPECT_THAT(trial.sentence, testing::HasSubstr("unknown command"));
}

// The learner's release in two commands, and ours in one script.
TEST_F(Contract, TheDifferenceToOursIsTold) {
  const auto exercise = exercise_named("4");
  const auto trial = run(exercise, exercise.client_of_start(), exercise.solution(),
                         exercise.scenario(), exercise.unsolved.says);
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  const auto difference = difference_to_ours(
      exercise, trial, {.redis = faults::find_redis(), .runs = directory.path()}, reaper);
  ASSERT_TRUE(difference);
  EXPECT_THAT(difference->sentence(),
              testing::AllOf(testing::HasSubstr("A's release"),
                             testing::HasSubstr("DEL, which removed another client's lock"),
                             testing::HasSubstr("ours sent a script")));
}

class LearnSearch : public Contract {
 protected:
  std::optional<Trial> search(const std::string& exercise_name, const fs::path& client,
                              long orders = 1'000'000) {
    const auto exercise = exercise_named(exercise_name);
    EXPECT_TRUE(fs::exists(exercise.client_of_solution())) << "ours is not built";
    const auto lock = lock_under_test(exercise, {client}, exercise.solution());
    return find_counter_example(exercise, lock,
                                {.redis = faults::find_redis(), .runs = directory_.path()}, orders,
                                reaper_)
        .found;
  }
  std::optional<Trial> search_wrong_lock(const std::string& exercise, const std::string& name,
                                         long orders = 1'000'000) {
    return search(exercise, fs::path(LAB_BINARY_DIR) / "tools/learning" / (name + "_client"),
                  orders);
  }
  void finds_nothing_in_a_right_lock_among(long orders) {
    const auto trial = search_wrong_lock("3", "right_by_script", orders);
    EXPECT_FALSE(trial) << trial->sentence;
  }
  // A freeze breaks mutual exclusion there, and a learner is not to mend that yet.
  void leaves_out_what_breaks_ours_among(long orders) {
    const auto trial = search("4", exercise_named("4").client_of_solution(), orders);
    EXPECT_FALSE(trial) << trial->sentence;
  }

 private:
  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
};

TEST_F(LearnSearch, FindsWhatNoScenarioShows) {
  const auto trial = search_wrong_lock("1", "looks_then_sets");
  ASSERT_TRUE(trial);
  EXPECT_THAT(keys_of(*trial), ElementsAre("check_then_set"));
  ASSERT_TRUE(trial->difference);
  EXPECT_THAT(trial->difference->sentence(),
              testing::AllOf(testing::HasSubstr("yours sent GET"), testing::HasSubstr("ours")));
  EXPECT_THAT(explore::read_schedule(trial->schedule).steps, testing::Not(testing::IsEmpty()));
}

TEST_F(LearnSearch, FindsNothingInALockThatIsRight) {
  finds_nothing_in_a_right_lock_among(150);
}
TEST_F(LearnSearch, LeavesOutWhatBreaksOursAsWell) {
  leaves_out_what_breaks_ours_among(500);
}

// In every order that there is.
using LongLearnSearch = LearnSearch;
TEST_F(LongLearnSearch, FindsNothingInALockThatIsRight) {
  finds_nothing_in_a_right_lock_among(1'000'000);
}
TEST_F(LongLearnSearch, LeavesOutWhatBreaksOursAsWell) {
  leaves_out_what_breaks_ours_among(1'000'000);
}

}  // namespace
}  // namespace learning
