// A person is the driver: chooses what happens next, goes back, looks, keeps what was chosen.
//
//   Stepper stepper(world, reaper, std::cout, paint);
//   stepper.begin({});
//   while (std::getline(std::cin, line) && stepper.obey(line)) {}
//
// To go back means to begin anew, with fresh keys, and to do again what had been chosen before:
// real processes know no way back. Thread-safety: none; one thread.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "explore/search/run.h"
#include "explore/search/schedule.h"
#include "explore/world/controller.h"
#include "faults/judging/timeline.h"

namespace explore {

class Stepper {
 public:
  // Throws CannotRun.
  Stepper(const WorldPlan& world, faults::Reaper& reaper, std::ostream& out, faults::Paint paint);

  // Begins anew, does these steps, and shows where that leads. Throws CannotRun if one does not
  // fit.
  void begin(const std::vector<Schedule::Step>& steps);
  // Does what the person says. False: it was "quit". What cannot be done is said, and changes
  // nothing. Throws CannotRun, ClientFailed, Diverged, for what ends a session.
  [[nodiscard]] bool obey(const std::string& line);
  // The text in front of the person's words.
  [[nodiscard]] std::string prompt() const;

  // The verdict: of the whole run if it has ended, else of what was seen of it; *not
  // exercised* if that broke nothing.
  [[nodiscard]] faults::Verdict verdict() const;

 private:
  void show();
  void choose(std::size_t number);
  void go_back(std::size_t steps);
  void go_on(bool to_the_end);
  void save(const std::filesystem::path& file);
  void search_from_here();
  // The run has come to its end: sees whether the lock can be had.
  void finish();

  const WorldPlan world_;
  faults::Reaper& reaper_;
  std::ostream& out_;
  const faults::Paint paint_;
  Controller controller_;
  std::optional<RunRecorder> recorder_;  // of the run under way
  std::vector<Event> events_;            // that can happen next
  std::vector<std::string> labels_;      // of the steps so far
  faults::Judgement judgement_;          // of what was seen so far
  bool over_ = false;
};

}  // namespace explore
