// One run: the events that were chosen, the history, and what the judges say.
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
  std::vector<std::size_t> ends;    // how long the history was behind each of them
  faults::Record record;
  faults::Judgement judgement;

  [[nodiscard]] bool is_violated() const { return judgement.verdict == faults::Verdict::violated; }
  // How many of the events it takes until a finding can be seen.
  [[nodiscard]] std::size_t steps_until(const faults::Finding& finding) const;
};

// Notes down the events of a run as they are chosen.
class RunRecorder {
 public:
  explicit RunRecorder(Controller& controller);

  void choose(const Event& event);
  // Does what the schedule says. Throws CannotRun if a step does not fit: at which step, and what
  // there was instead; the run is over then.
  void follow(const Schedule& schedule);
  // Chooses the event that can happen now and has that label; false: there is none.
  bool choose_labelled(const std::string& label);
  // Lets every client go on by itself, without a fault, until the run is over; then as `finish`.
  [[nodiscard]] Run go_on_to_the_end();
  [[nodiscard]] const std::vector<std::string>& labels() const { return run_.labels; }
  // Judges the run, which is over. If it broke nothing, sees whether the lock can be had again.
  [[nodiscard]] Run finish();

 private:
  Controller& controller_;
  Run run_;
};

// Follows the schedule, then lets every client go on by itself. Throws as `follow` does.
[[nodiscard]] Run replay(Controller& controller, const Schedule& schedule);

// The finding about that property; null: there is none.
[[nodiscard]] const faults::Finding* finding_of(const Run& run, faults::Property property);

// A run in a few words that are the same whenever it is the same run: without tokens and numbers of
// sockets. Of the latecomer behind its end only what comes of it counts: between tries a lock waits
// for a random time.
[[nodiscard]] std::string fingerprint(const Run& run);

}  // namespace explore
