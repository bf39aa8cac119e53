#include "learning/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "core/error.h"
#include "faults/kit/errors.h"
#include "faults/running/side_by_side.h"

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

Trial told(const faults::Result& result) {
  const auto& shown = result.shown();
  Trial trial{.scenario = result.scenario,
              .verdict = result.verdict(),
              .broken = result.broken(),
              .outcome = outcome_of(result),
              .boundary = shown.boundary,
              .sentence = shown.judgement.sentence(),
              .history = shown.history};
  const Evidence evidence(faults::read_record(shown.history));
  trial.diagnosis = diagnose(evidence);
  trial.remark = remark_on(evidence);
  return trial;
}

// The lock crashed, hung or answered with an error; what it did before that may say why.
Trial broken_off(const std::string& scenario, const std::string& why, const fs::path& runs) {
  Trial trial{
      .scenario = scenario, .sentence = why, .history = last_history(runs), .broken_off = true};
  if (!trial.history.empty()) {
    const Evidence evidence(faults::read_record(trial.history));
    trial.diagnosis = diagnose_end(evidence, why);
  }
  if (!trial.diagnosis) trial.diagnosis = Diagnosis{.key = "error", .sentence = why};
  return trial;
}

}  // namespace

Trial try_lock(const faults::Stage& lock, const faults::Scenario& scenario,
               const faults::RunPlan& plan, faults::Reaper& reaper) {
  auto own = plan;
  own.runs /= scenario.name;
  try {
    return told(faults::run(lock, scenario, own, reaper));
  } catch (const faults::CannotWrite&) {
    throw;
  } catch (const faults::CannotRun& error) {
    return broken_off(scenario.name, error.what(), own.runs);
  } catch (const core::ServerError& error) {  // what the kit asked a server past the lock
    return broken_off(scenario.name, error.what(), own.runs);
  }
}

std::vector<Trial> try_all(const faults::Stage& lock,
                           const std::vector<const faults::Scenario*>& scenarios,
                           const faults::RunPlan& plan, faults::Reaper& reaper,
                           const std::function<void(const Trial&)>& told) {
  std::vector<Trial> trials(scenarios.size());
  std::mutex mutex;
  faults::side_by_side(scenarios.size(), faults::usual_jobs(), [&](std::size_t i) {
    trials[i] = try_lock(lock, *scenarios[i], plan, reaper);
    const std::lock_guard guard(mutex);
    told(trials[i]);
  });
  return trials;
}

}  // namespace learning
