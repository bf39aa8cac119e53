// A run of which somebody chooses each event, and goes back.
//
//   SteppedRun run(world, reaper);
//   run.begin({});
//   run.choose(run.events().front());
//
// To go back means to begin anew, with fresh keys, and to do again what had been chosen before:
// real processes know no way back. Thread-safety: none; one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/explore/search/run.h"
#include "faults/explore/search/schedule.h"
#include "faults/explore/stepping/moment_view.h"
#include "faults/explore/world/controller.h"

namespace explore {

class SteppedRun {
 public:
  // Throws CannotRun.
  SteppedRun(const WorldPlan& world, faults::Reaper& reaper);

  // Begins anew, and does these steps. Throws CannotRun if one does not fit: then there is no run
  // until the next `begin`.
  void begin(const std::vector<Schedule::Step>& steps);
  // One of `events`. Throws ClientFailed, CannotRun.
  void choose(const Event& event);
  // The clients go on without a fault, to the end, or until a command was carried out.
  void go_on(bool to_the_end);

  // The events that can happen next, faults and all; none: the run is over.
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] bool is_over() const { return is_over_; }
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  [[nodiscard]] Schedule schedule() const;
  // The history so far; when it is over, with the latecomer.
  [[nodiscard]] const faults::Record& record() const;
  [[nodiscard]] const faults::Judgement& judgement() const { return judgement_; }
  // The belief of each client and the keys of each server; only while it is not over.
  [[nodiscard]] MomentView moment();

 private:
  void look_around();

  const WorldPlan world_;
  Controller controller_;
  std::optional<RunRecorder> recorder_;  // of the run under way
  std::vector<Event> events_;
  std::vector<std::string> labels_;
  faults::Record whole_;  // of the run that is over
  faults::Judgement judgement_;
  bool is_over_ = true;
};

}  // namespace explore
