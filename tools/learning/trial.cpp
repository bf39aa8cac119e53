#include "tools/learning/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "core/error.h"
#include "faults/kit/errors.h"
#include "faults/running/parallel.h"

namespace learning {
namespace {

namespace fs = std::filesystem;
using faults::Verdict;

// The history that a run which came to no end has left: the one that was written to last.
fs::path last_history(const fs::path& runs) {
  fs::path last;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(runs, none)) {
    if (entry.path().filename() != "history.jsonl") continue;
    const bool later = last.empty() || entry.last_write_time() >= fs::last_write_time(last);
    if (later) last = entry.path();
  }
  return last;
}

void look_for_mistakes(const Exercise& exercise, Trial& trial) {
  if (trial.history.empty() || trial.shows_nothing()) return;
  trial.mistakes = mistakes_in(TraceQuery(faults::read_record(trial.history)), exercise.number(),
                               exercise.is_python());
}

Trial trial_of(const Exercise& exercise, const faults::Result& result) {
  const auto& shown = result.shown();
  Trial trial{.scenario = result.scenario,
              .verdict = result.verdict(),
              .broken = result.broken(),
              .outcome = outcome_of(result),
              .boundary = shown.boundary,
              .sentence = shown.judgement.sentence(),
              .history = shown.history};
  if (trial.verdict == Verdict::not_exercised) {
    trial.outcome = outcome_of(faults::read_record(trial.history));
  }
  look_for_mistakes(exercise, trial);
  return trial;
}

// The lock crashed, hung or answered with an error; what it did before that may say why.
Trial broken_off(const Exercise& exercise, const std::string& scenario, const std::string& why,
                 const fs::path& runs) {
  Trial trial{.scenario = scenario,
              .sentence = "Your lock broke the run off: " + why + ".",
              .history = last_history(runs),
              .broken_off = true};
  look_for_mistakes(exercise, trial);
  return trial;
}

}  // namespace

std::string Trial::key() const {
  if (is_explained()) return mistakes.front().key;
  if (broken_off) return "broken off";
  return broken.empty() ? std::string(to_string(verdict)) : std::string(to_string(broken.front()));
}

Trial try_lock(const Exercise& exercise, const faults::TestedLock& lock,
               const faults::Scenario& scenario, const faults::RunPlan& plan,
               faults::Reaper& reaper) {
  auto own = plan;
  own.runs /= scenario.name;
  try {
    return trial_of(exercise, faults::run_scenario(lock, scenario, own, reaper));
  } catch (const faults::ClientFailed& error) {
    return broken_off(exercise, scenario.name, error.what(), own.runs);
  } catch (const core::ServerError& error) {  // what the kit asked a server past the lock
    return broken_off(exercise, scenario.name, error.what(), own.runs);
  }
}

std::vector<Trial> try_all(const Exercise& exercise, const faults::TestedLock& lock,
                           const std::vector<const faults::Scenario*>& scenarios,
                           const faults::RunPlan& plan, faults::Reaper& reaper,
                           const std::function<void(const Trial&)>& told) {
  std::vector<Trial> trials(scenarios.size());
  std::mutex mutex;
  faults::run_in_parallel(scenarios.size(), faults::usual_jobs(), [&](std::size_t i) {
    trials[i] = try_lock(exercise, lock, *scenarios[i], plan, reaper);
    const std::lock_guard guard(mutex);
    told(trials[i]);
  });
  return trials;
}

std::optional<Difference> difference_to_ours(const Exercise& exercise, const Trial& trial,
                                             const faults::RunPlan& plan, faults::Reaper& reaper) {
  const auto ours = solution_of(exercise);
  const auto* scenario = faults::find_scenario(trial.scenario);
  if (trial.history.empty() || scenario == nullptr || !fs::exists(ours.command.front())) return {};
  auto own = plan;
  own.runs /= "ours";
  try {
    const auto result = faults::run_scenario(ours, *scenario, own, reaper);
    if (result.executions.empty()) return {};
    // If ours has no such boundary, the way up to it differs.
    const auto same = std::find_if(
        result.executions.begin(), result.executions.end(),
        [&](const faults::Execution& execution) { return execution.boundary == trial.boundary; });
    const auto& execution = same == result.executions.end() ? result.executions.front() : *same;
    return first_difference(TraceQuery(faults::read_record(trial.history)),
                            TraceQuery(faults::read_record(execution.history)));
  } catch (const faults::CannotRun&) {  // the learner's lock was judged all the same
    return {};
  }
}

}  // namespace learning
