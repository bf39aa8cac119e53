// Records one run: the events that were chosen, the history, and the judges' findings.
//
// Thread-safety: none; one thread.
#pragma once

#include <string>
#include <vector>

#include "faults/explore/search/schedule.h"
#include "faults/explore/world/controller.h"
#include "faults/judging/verdict.h"

namespace explore {

struct Run {
  std::vector<std::string> labels;  // of the events, in their order
  std::vector<std::size_t> ends;    // the length of the history after each of them
  faults::Record record;
  faults::Judgement judgement;

  [[nodiscard]] bool is_violated() const { return judgement.verdict == faults::Verdict::violated; }
  // How many of the events happen until a finding can be seen.
  [[nodiscard]] std::size_t steps_until(const faults::Finding& finding) const;
};

class RunRecorder {
 public:
  // Begins a run.
  explicit RunRecorder(Controller& controller);

  void choose(const Event& event);
  // Chooses the events of the schedule. If a step does not fit, ends the run and throws CannotRun,
  // which names the step and what could happen instead.
  void follow(const Schedule& schedule);
  // Chooses the event with that label; false: it cannot happen now.
  bool choose_labelled(const std::string& label);
  // Every client continues by itself, without a fault, until the run ends; then as `finish`.
  [[nodiscard]] Run run_to_end();
  [[nodiscard]] const std::vector<std::string>& labels() const { return run_.labels; }
  // Judges the run, which has ended. If it broke nothing, checks that a latecomer gets the lock.
  [[nodiscard]] Run finish();

 private:
  void must_have_its_key() const;

  Controller& controller_;
  Run run_;
};

// The schedule of these events: `to_text` of it is what `lab replay` and `lab step --from` read.
[[nodiscard]] Schedule schedule_of(const std::vector<std::string>& labels, const WorldPlan& world);

// Follows the schedule, then lets every client continue by itself. Throws as `follow` does.
[[nodiscard]] Run replay(Controller& controller, const Schedule& schedule);

// The run's finding about that property; null: there is none.
[[nodiscard]] const faults::Finding* finding_of(const Run& run, faults::Property property);

// The properties that the run breaks, by name.
[[nodiscard]] std::string broken_properties(const Run& run);

// A text of the run that is the same whenever the run is: without tokens and numbers of sockets,
// and without the latecomer after its end. (Between its tries a lock waits for a random time.)
[[nodiscard]] std::string fingerprint(const Run& run);

}  // namespace explore
