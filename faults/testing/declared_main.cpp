// The `main` of every stage's tests: its own, and one for each row of its declared.json and of
// those of its wrong turns and variants.
//
// Run raw, such a test fails where the stage is broken, with all of it in its message. With
// LAB_AS_DECLARED set (as `ctest` does) it passes if the stage is broken exactly as declared: the
// same properties, at the same boundaries.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "faults/judging/testing/printers.h"
#include "faults/kit/errors.h"
#include "faults/kit/interrupt.h"
#include "faults/kit/reaper.h"
#include "faults/running/result_text.h"
#include "faults/running/run_scenario.h"

namespace {

// What a test says first where the machine did not keep up: neither the lock nor the declaration is
// wrong. `./lab test` counts these apart (tools/app/entry/tests.sh).
std::string inconclusive_cell(const faults::TestedLock& stage, const faults::Scenario& scenario) {
  const auto& test = *testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("inconclusive: {} {} {}.{}", stage.name, scenario.name, test.test_suite_name(),
                     test.name());
}

// Where the runs of red tests stay: `./lab suite` says it.
std::filesystem::path runs_directory() {
  const char* given = std::getenv("LAB_RUNS");
  return given != nullptr ? given : std::filesystem::path(LAB_BINARY_DIR) / "test-runs";
}

class DeclaredTest : public testing::Test {
 public:
  DeclaredTest(const faults::TestedLock& stage, const faults::Scenario& scenario,
               faults::Reaper& reaper, bool every_node)
      : stage_(stage), scenario_(scenario), reaper_(reaper), every_node_(every_node) {}

  void TestBody() override {
    const faults::RunPlan plan{
        .redis = faults::find_redis(), .runs = runs_directory(), .every_node = every_node_};
    const auto result = faults::run_scenario(stage_, scenario_, plan, reaper_);
    const auto difference = faults::difference_from_declared(stage_, result);
    const auto described = [&] { return faults::describe_result(result, faults::Paint{}); };
    const bool as_declared = std::getenv("LAB_AS_DECLARED") != nullptr;
    if (as_declared && difference.starts_with(to_string(faults::Verdict::inconclusive))) {
      ADD_FAILURE() << inconclusive_cell(stage_, scenario_) << '\n' << difference << described();
    } else if (as_declared) {
      EXPECT_EQ(difference, "") << described();
    } else {
      EXPECT_EQ(result.verdict(), faults::Verdict::holds) << "\n" << described();
    }
    if (!HasFailure()) std::filesystem::remove_all(result.directory);
  }

 private:
  const faults::TestedLock& stage_;
  const faults::Scenario& scenario_;
  faults::Reaper& reaper_;
  const bool every_node_;
};

// "Stage3" of a stage, "Stage3WrongTurn" and "Stage3Variant" of what is beside it; "AbCd" of ab_cd,
// and of ab/cd.
std::string suite_of(const faults::TestedLock& stage) {
  if (stage.name.starts_with("stage")) {
    const auto* kind = stage.turned_from.empty() ? "" : stage.is_variant ? "Variant" : "WrongTurn";
    return "Stage" + stage.name.substr(5, stage.name.find('_') - 5) + kind;
  }
  std::string suite;
  for (std::size_t i = 0; i < stage.name.size(); ++i) {
    const auto letter = static_cast<unsigned char>(stage.name[i]);
    if (!std::isalnum(letter)) continue;
    const bool begins_word = i == 0 || !std::isalnum(static_cast<unsigned char>(stage.name[i - 1]));
    suite += static_cast<char>(begins_word ? std::toupper(letter) : letter);
  }
  return suite;
}

// "Stage3Release" and "BreaksWhenFrozenBetweenGetAndDel", from "Release.BreaksWhen...".
void register_declared_test(const faults::TestedLock& stage, const std::string& scenario_name,
                            const faults::Declared& declared, faults::Reaper& reaper) {
  const auto* scenario = faults::find_scenario(scenario_name);
  const auto dot = declared.claim.find('.');
  const std::string expected = declared.broken.empty() ? ".Survives" : ".Breaks";
  if (scenario == nullptr || declared.claim.compare(dot, expected.size(), expected) != 0) {
    throw faults::CannotRun(stage.name + "/declared.json: the claim of " + scenario_name +
                            " must name a scenario, and read Subject" + expected + "...");
  }
  const auto suite = suite_of(stage) + declared.claim.substr(0, dot);
  const auto add = [&](const std::string& name, bool every_node) {
    testing::RegisterTest(name.c_str(), declared.claim.substr(dot + 1).c_str(), nullptr,
                          scenario_name.c_str(), __FILE__, __LINE__,
                          [&stage, scenario, &reaper, every_node]() -> testing::Test* {
                            return new DeclaredTest(stage, *scenario, reaper, every_node);
                          });
  };
  add(suite, false);
  // A sweep over several servers puts its fault at one of each kind; there is time for all of them
  // under the label `long`.
  if (scenario->sweep && stage.nodes > 1 && stage.turned_from.empty()) add(suite + "Long", true);
}

void register_declared_tests(const faults::TestedLock& stage, faults::Reaper& reaper) {
  for (const auto& [scenario, declared] : stage.declared) {
    if (declared.does_not_apply.empty()) register_declared_test(stage, scenario, declared, reaper);
  }
}

// A wrong turn shows something if it breaks where its stage holds.
void must_be_a_lesson(const faults::TestedLock& turn, const faults::TestedLock& stage) {
  for (const auto& [scenario, declared] : turn.declared) {
    const auto& right = stage.declared.at(scenario);
    if (!declared.broken.empty() && right.broken.empty() && right.does_not_apply.empty()) continue;
    throw faults::CannotRun(turn.name + "/declared.json: under " + scenario +
                            " the wrong turn has to break and its stage to hold");
  }
  if (turn.declared.empty()) throw faults::CannotRun(turn.name + " is shown by no scenario");
}

// True if there is a server that knows the commands of `variant`.
bool has_what_it_needs(const faults::TestedLock& variant, faults::Reaper& reaper) {
  if (variant.needs.empty()) return true;
  try {
    return faults::is_at_least(faults::find_redis(), variant.needs, reaper);
  } catch (const faults::CannotRun&) {  // the tests that need a server say so
    return false;
  }
}

int run_tests(int argc, char** argv) {
  const auto stage = faults::load_tested_lock(STAGE_DIRECTORY, {STAGE_CLIENT});
  const auto wrong_turns = faults::load_wrong_turns(stage);
  const auto variants = faults::load_variants(stage);
  testing::InitGoogleTest(&argc, argv);
  faults::Reaper reaper;
  const faults::Interrupt interrupt(reaper);
  for (const auto& scenario : faults::all_scenarios()) {
    if (!stage.is_variant && !scenario.is_beside_the_stages() &&
        !stage.declared.contains(scenario.name)) {
      throw faults::CannotRun(stage.name + "/declared.json says nothing about " + scenario.name);
    }
  }
  register_declared_tests(stage, reaper);
  for (const auto& turn : wrong_turns) {
    must_be_a_lesson(turn, stage);
    register_declared_tests(turn, reaper);
  }
  for (const auto& variant : variants) {
    if (has_what_it_needs(variant, reaper)) register_declared_tests(variant, reaper);
  }
  return RUN_ALL_TESTS();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_tests(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
