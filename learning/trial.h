// One lock under one scenario, and what there is to say to its author.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faults/kit/reaper.h"
#include "faults/running/run.h"
#include "learning/outcome.h"
#include "learning/rules/diagnosis.h"

namespace learning {

struct Trial {
  std::string scenario;
  faults::Verdict verdict = faults::Verdict::not_exercised;
  std::vector<faults::Property> broken;
  Outcome outcome;                     // the same, as one may have guessed it
  std::string boundary;                // of the telling that shows it; empty outside a sweep
  std::string sentence;                // what happened
  std::optional<Diagnosis> diagnosis;  // what the lock did wrong, if it did
  std::optional<Diagnosis> remark;     // what is wrong with it all the same
  std::filesystem::path history;       // of the telling that shows it; empty if there is none
  bool broken_off = false;             // the lock crashed, hung or answered with an error

  [[nodiscard]] bool holds() const { return verdict == faults::Verdict::holds; }
  // Did the machine not keep up, so that it says nothing of the lock?
  [[nodiscard]] bool shows_nothing() const {
    return verdict == faults::Verdict::inconclusive ||
           (diagnosis && diagnosis->key == Diagnosis::of_the_machine);
  }
  [[nodiscard]] bool is_explained() const { return diagnosis && !diagnosis->in_general; }
};

// Never throws for what the lock does: one that crashes, hangs or answers with an error has a trial
// that says so. `plan.runs` must be a directory of its own.
[[nodiscard]] Trial try_lock(const faults::Stage& lock, const faults::Scenario& scenario,
                             const faults::RunPlan& plan, faults::Reaper& reaper);

// The same for several scenarios, many at once; `told` hears of each, one call at a time.
[[nodiscard]] std::vector<Trial> try_all(const faults::Stage& lock,
                                         const std::vector<const faults::Scenario*>& scenarios,
                                         const faults::RunPlan& plan, faults::Reaper& reaper,
                                         const std::function<void(const Trial&)>& told);

}  // namespace learning
