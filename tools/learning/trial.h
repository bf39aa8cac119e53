// One lock under one scenario, and what there is to say to its author.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faults/kit/reaper.h"
#include "faults/running/run_scenario.h"
#include "tools/learning/difference/difference.h"
#include "tools/learning/mistakes/mistake.h"
#include "tools/learning/outcome.h"
#include "tools/learning/workspace/exercise.h"

namespace learning {

struct Trial {
  std::string scenario;
  faults::Verdict verdict = faults::Verdict::not_exercised;
  std::vector<faults::Property> broken;
  Outcome outcome;                       // the same, as one may have guessed it
  std::string boundary;                  // of the execution that shows it; empty outside a sweep
  std::string sentence;                  // what happened
  std::vector<Diagnosis> mistakes;       // what the lock did wrong; more than one: see mistake.h
  std::optional<Difference> difference;  // how ours differs; only where somebody asked for it
  std::filesystem::path history;         // of the execution that shows it; empty: there is none
  std::filesystem::path schedule;        // of a counter-example; empty: a scenario showed it
  std::string last_chance;               // its point of no return, as a line; empty: not known
  bool broken_off = false;               // the lock crashed, hung or answered with an error

  [[nodiscard]] bool holds() const { return verdict == faults::Verdict::holds; }
  // Did the machine not keep up, so that it says nothing of the lock?
  [[nodiscard]] bool shows_nothing() const { return verdict == faults::Verdict::inconclusive; }
  [[nodiscard]] bool is_explained() const { return !mistakes.empty(); }
  // The sentence for the lock's author: a mistake's, or else what was seen to happen.
  [[nodiscard]] const std::string& says() const {
    return is_explained() ? mistakes.front().sentence : sentence;
  }
  // The key of that: a mistake's, or else the broken property.
  [[nodiscard]] std::string key() const;
};

// Never throws for what the lock does: one that crashes, hangs or answers with an error has a trial
// that says so. Throws CannotRun for what the machine does: no server, no room, no right to write.
// `plan.runs` must be a directory of its own.
[[nodiscard]] Trial try_lock(const Exercise& exercise, const faults::TestedLock& lock,
                             const faults::Scenario& scenario, const faults::RunPlan& plan,
                             faults::Reaper& reaper);

// The same for several scenarios, many at once; `told` hears of each, one call at a time.
[[nodiscard]] std::vector<Trial> try_all(const Exercise& exercise, const faults::TestedLock& lock,
                                         const std::vector<const faults::Scenario*>& scenarios,
                                         const faults::RunPlan& plan, faults::Reaper& reaper,
                                         const std::function<void(const Trial&)>& told);

// How our lock differs from the one of `trial` first, under the same scenario and boundary; nothing
// if our lock is not built, or does not differ. Takes seconds.
[[nodiscard]] std::optional<Difference> difference_to_ours(const Exercise& exercise,
                                                           const Trial& trial,
                                                           const faults::RunPlan& plan,
                                                           faults::Reaper& reaper);

}  // namespace learning
