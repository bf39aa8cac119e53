// Predict, then run: a keystroke or two before a scenario runs, kept beside what came.
//
// The first is for what will happen; the second, if that is not "it holds" and the scenario is told
// at several boundaries, for where it breaks. Only on a terminal, both ways: never in a pipe, where
// nobody could answer.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "faults/running/run_scenario.h"
#include "faults/scenarios/scenario.h"
#include "faults/world/tested_lock.h"
#include "tools/learning/outcome.h"
#include "tools/learning/progress.h"
#include "tools/terminal/language.h"

namespace learning {

// Words of `Outcome`.
struct Guessed {
  std::string what;
  std::string where;  // empty: not asked, or no idea
};

// Asks what will come of `scenario`. Nothing if nobody can be asked, or has no idea. If one
// `may_leave`, the key q throws terminal::Leave.
[[nodiscard]] std::optional<Guessed> ask_for_guess(const faults::Scenario& scenario,
                                                   const terminal::Language& language,
                                                   bool may_leave = false);

// Keeps what was guessed of `lock` and what came in the learner's progress below `directory`, and
// says both on standard output. Throws CannotRun.
void keep_guess(const std::filesystem::path& directory, const std::string& lock,
                const std::string& scenario, const Guessed& guessed, const Outcome& outcome,
                const terminal::Language& language);

// Asks for a prediction before a run; the check it returns compares it with what came. Each may do
// nothing.
using PredictionCheck = std::function<void(const faults::Result& result)>;
using Predictor = std::function<PredictionCheck(const faults::TestedLock& stage,
                                                const faults::Scenario& scenario)>;

// For the tour: asks before each run, and keeps guess and outcome in the learner's progress below
// `directory`. Asks nobody unless `wanted`.
[[nodiscard]] Predictor make_predictor(std::filesystem::path directory, bool wanted,
                                       terminal::Language language);

}  // namespace learning
