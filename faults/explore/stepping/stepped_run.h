// A run whose events a person chooses, one by one; it can go back.
//
//   SteppedRun run(world, reaper);
//   run.begin({});
//   run.choose(run.events().front());
//
// Going back begins a new run, with fresh keys, and repeats the choices: real processes cannot go
// back.
//
// Thread-safety: none; one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/explore/search/run_recorder.h"
#include "faults/explore/search/schedule.h"
#include "faults/explore/stepping/moment_view.h"
#include "faults/explore/world/controller.h"

namespace explore {

class SteppedRun {
 public:
  // Throws CannotRun.
  SteppedRun(const WorldPlan& world, faults::Reaper& reaper);

  // Begins a new run, and chooses these steps. Throws CannotRun if one does not fit: then there is
  // no run until the next `begin`.
  void begin(const std::vector<Schedule::Step>& steps);
  // Chooses one of `events`. Throws ClientFailed, CannotRun.
  void choose(const Event& event);
  // The clients continue without a fault: to the end, or until a command has been carried out.
  void run_on(bool to_the_end);

  // The events that can happen next, with the faults; empty: the run has ended.
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] bool is_over() const { return is_over_; }
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  [[nodiscard]] Schedule schedule() const { return schedule_of(labels_, world_); }
  // The history so far; once the run has ended, with the latecomer.
  [[nodiscard]] const faults::Record& record() const;
  [[nodiscard]] const faults::Judgement& judgement() const { return judgement_; }
  // The belief of each client and the keys of each server; only until the run has ended.
  [[nodiscard]] MomentView moment();

 private:
  void update();

  const WorldPlan world_;
  Controller controller_;
  std::optional<RunRecorder> recorder_;  // of the run under way
  std::vector<Event> events_;
  std::vector<std::string> labels_;
  faults::Record whole_;  // of the run that has ended
  faults::Judgement judgement_;
  bool is_over_ = true;
};

}  // namespace explore
