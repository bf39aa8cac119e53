// The contract with the learner: an exercise fails until it is solved, for the reason it tells; its
// solution keeps every promise that shows; and every mistake gets the sentence that names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "faults/kit/temp_dir.h"
#include "faults/world/world.h"
#include "learning/copies/exercise.h"
#include "learning/probes/probes.h"
#include "learning/trial.h"

namespace learning {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool is_inconclusive(const Trial& trial) {
  return trial.verdict == faults::Verdict::inconclusive;
}

using IsAgain = std::function<bool(const Trial&)>;

// The keys of sentences. Where chance decides what can be seen of a mistake, several name it.
using Keys = std::vector<std::string>;

// Of a lock with a mistake: did the machine stand still, and was none of `expected` said of it?
IsAgain is_spoilt_for(const Keys& expected) {
  return [expected](const Trial& trial) {
    if (is_inconclusive(trial)) return true;
    const auto& said = trial.diagnosis ? trial.diagnosis : trial.remark;
    const bool as_expected =
        said && std::find(expected.begin(), expected.end(), said->key) != expected.end();
    if (as_expected || trial.history.empty()) return false;
    return faults::Trace(faults::read_record(trial.history)).stood_still();
  };
}

class Contract : public testing::Test {
 protected:
  // Of a lock that holds: again only if the story could not be judged.
  Trial tell(const Exercise& exercise, const std::vector<std::string>& client,
             const fs::path& sources, const std::string& scenario,
             const IsAgain& is_again = is_inconclusive) {
    const auto lock = lock_under_test(exercise, client, sources);
    const auto* probe = find_probe(scenario);
    return tell(lock, probe != nullptr ? *probe : *faults::find_scenario(scenario), is_again);
  }
  Trial tell(const faults::Stage& lock, const faults::Scenario& story,
             const IsAgain& is_again = is_inconclusive) {
    constexpr int most_times = 5;
    auto trial = tell_once(lock, story);
    for (int times = 1; times < most_times && is_again(trial); ++times) {
      trial = tell_once(lock, story);
    }
    return trial;
  }

  // What happened: the directory is gone when somebody wants to know.
  void TearDown() override {
    if (HasFailure() && !history_.empty()) std::cerr << std::ifstream(history_).rdbuf();
  }

 private:
  Trial tell_once(const faults::Stage& lock, const faults::Scenario& story) {
    auto trial = try_lock(
        lock, story,
        {.redis = faults::find_redis(), .runs = directory_.path() / std::to_string(++told_)},
        reaper_);
    history_ = trial.history;
    return trial;
  }

  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
  int told_ = 0;
  fs::path history_;  // of the story told last
};

// Was this lock made from ours as it is now? (learning/adopt.cmake)
void expect_to_fit(const fs::path& sources) {
  std::ifstream why(sources.native() + ".does_not_fit");
  EXPECT_FALSE(why.is_open()) << std::string(std::istreambuf_iterator<char>(why), {});
}

class LearnExercise : public Contract, public testing::WithParamInterface<std::string> {};

TEST_P(LearnExercise, FailsUnsolvedForTheReasonItTells) {
  const auto exercise = exercise_named(GetParam());
  expect_to_fit(exercise.start());
  const auto trial = tell(exercise, {exercise.client_of("start")}, exercise.start(),
                          exercise.scenario, is_spoilt_for({exercise.unsolved.says}));
  EXPECT_FALSE(trial.holds());
  EXPECT_THAT(trial.broken, testing::UnorderedElementsAreArray(exercise.unsolved.broken))
      << to_string(trial.verdict) << ": " << trial.sentence;
  ASSERT_TRUE(trial.diagnosis) << to_string(trial.verdict) << ": " << trial.sentence;
  EXPECT_EQ(trial.diagnosis->key, exercise.unsolved.says) << trial.diagnosis->sentence;
}

TEST_P(LearnExercise, IsSolvedByOurStage) {
  const auto exercise = exercise_named(GetParam());
  const auto trial =
      tell(exercise, {exercise.client_of("solution")}, exercise.solution(), exercise.scenario);
  EXPECT_TRUE(trial.holds()) << to_string(trial.verdict) << ": " << trial.sentence;
  EXPECT_FALSE(trial.diagnosis) << trial.diagnosis->sentence;
  EXPECT_FALSE(trial.remark) << trial.remark->sentence;
}

class LearnSolutionLong : public Contract, public testing::WithParamInterface<std::string> {};

// What a learner sees who writes what we wrote.
TEST_P(LearnSolutionLong, KeepsEveryPromiseAndGetsNoRemark) {
  const auto exercise = exercise_named(GetParam());
  for (const auto* scenario : promises_of(exercise)) {
    const auto trial =
        tell(exercise, {exercise.client_of("solution")}, exercise.solution(), scenario->name);
    EXPECT_TRUE(trial.holds()) << scenario->name << ": " << trial.sentence;
    EXPECT_FALSE(trial.remark) << scenario->name << ": " << trial.remark->sentence;
    if (HasFailure()) break;
  }
}

std::vector<std::string> names_of(bool turns) {
  std::vector<std::string> names;
  for (const auto& exercise : all_exercises()) {
    if (exercise.is_turn() == turns) names.push_back(exercise.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Story, LearnExercise, testing::ValuesIn(names_of(false)),
                         [](const auto& instance) { return instance.param; });
INSTANTIATE_TEST_SUITE_P(Story, LearnSolutionLong, testing::ValuesIn(names_of(false)),
                         [](const auto& instance) { return instance.param; });

class LearnTurn : public Contract, public testing::WithParamInterface<std::string> {};

// Its solution is that of the exercise of its stage.
TEST_P(LearnTurn, FailsUnsolvedForTheReasonItTells) {
  const auto exercise = exercise_named(GetParam());
  const auto client = fs::path(LAB_BINARY_DIR) / exercise.stage /
                      (exercise.stage + "_" + exercise.name + "_client");
  const auto trial = tell(exercise, {client}, exercise.start(), exercise.scenario,
                          is_spoilt_for({exercise.unsolved.says}));
  EXPECT_THAT(trial.broken, testing::UnorderedElementsAreArray(exercise.unsolved.broken))
      << to_string(trial.verdict) << ": " << trial.sentence;
  ASSERT_TRUE(trial.diagnosis) << to_string(trial.verdict) << ": " << trial.sentence;
  EXPECT_EQ(trial.diagnosis->key, exercise.unsolved.says) << trial.diagnosis->sentence;
}

INSTANTIATE_TEST_SUITE_P(All, LearnTurn, testing::ValuesIn(names_of(true)),
                         [](const auto& instance) { return instance.param; });

class LearnWrongLock : public Contract, public testing::WithParamInterface<std::string> {};

fs::path wrong_locks() {
  return fs::path(LAB_SOURCE_DIR) / "learning/wrong_locks";
}

std::vector<std::string> client_of_wrong_lock(const Exercise& exercise, const std::string& name) {
  return {fs::path(LAB_BINARY_DIR) / "learning" / ("wrong_locks_of_" + exercise.name), name};
}

fs::path sources_of_wrong_lock(const std::string& name) {
  return fs::path(LAB_BINARY_DIR) / "learning/wrong_locks" / name;
}

TEST_P(LearnWrongLock, GetsTheSentenceThatNamesItsMistake) {
  std::ifstream file(wrong_locks() / GetParam() / "expected.json");
  const auto expected = json::parse(file);
  const auto exercise = exercise_named(std::to_string(expected.at("exercise").get<int>()));
  const auto client = client_of_wrong_lock(exercise, GetParam());
  const auto sources = sources_of_wrong_lock(GetParam());
  expect_to_fit(sources);
  const auto& says = expected.at("says");
  const auto keys = says.is_array() ? says.get<Keys>() : Keys{says.get<std::string>()};
  const auto trial = tell(exercise, client, sources, expected.at("scenario"), is_spoilt_for(keys));
  const bool remark = expected.value("remark", false);
  // Of what chance decides, either will do.
  const bool as_expected = trial.holds() == remark || expected.value("either", false);
  EXPECT_TRUE(as_expected) << to_string(trial.verdict) << ": " << trial.sentence;
  const auto& said = trial.diagnosis ? trial.diagnosis : trial.remark;
  ASSERT_TRUE(said) << to_string(trial.verdict) << ": " << trial.sentence;
  EXPECT_THAT(keys, testing::Contains(said->key)) << said->sentence;
  RecordProperty("sentence", said->sentence);
}

// Else a sweep would have more boundaries than ours: at each call of a script, two.
TEST_F(Contract, ServersKnowTheScriptsOfALearnersLock) {
  const std::string name = "script_without_compare";
  const auto exercise = exercise_named("4");
  const auto trial = tell(exercise, client_of_wrong_lock(exercise, name),
                          sources_of_wrong_lock(name), "stranger_release");
  ASSERT_FALSE(trial.history.empty());
  bool has_run_one = false;
  for (const auto& event : faults::read_record(trial.history)) {
    has_run_one = has_run_one || event.text("text").starts_with("EVALSHA");
    // An error, as it is shown.
    EXPECT_THAT(event.text("text"), testing::Not(testing::StartsWith("error ")));
  }
  EXPECT_TRUE(has_run_one);
}

// It may be the lock's doing: a server that runs a script without end answers nobody else.
TEST_F(Contract, AServerThatRefusesWhatTheKitAsksBreaksTheStoryOff) {
  const auto exercise = exercise_named("1");
  const auto lock =
      lock_under_test(exercise, {exercise.client_of("solution")}, exercise.solution());
  const faults::Scenario story{.name = "test", .sweep = {}, .run = [](faults::World& world) {
                                 (void)world.nodes.at(0).direct().command({"NONSENSE"});
                               }};
  const auto trial = tell(lock, story);
  EXPECT_TRUE(trial.broken_off);
  EXPECT_THAT(trial.sentence, testing::HasSubstr("unknown command"));
  EXPECT_TRUE(trial.diagnosis);
}

// Of a token that is in no lock nothing can be made that is like it.
TEST_F(Contract, NobodyLooksLikeALockThatHasNoToken) {
  const std::string name = "token_of_everybody";
  const auto exercise = exercise_named("3");
  const auto trial = tell(exercise, client_of_wrong_lock(exercise, name),
                          sources_of_wrong_lock(name), "look_alike");
  EXPECT_EQ(trial.verdict, faults::Verdict::not_exercised) << trial.sentence;
  EXPECT_THAT(trial.sentence, testing::HasSubstr("there is no token in the lock's key"));
}

std::vector<std::string> all_wrong_locks() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(wrong_locks())) {
    names.push_back(entry.path().filename().native());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, LearnWrongLock, testing::ValuesIn(all_wrong_locks()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace learning
