// A person chooses the events of a run on a terminal, goes back, looks around, saves the choices.
//
//   Stepper stepper(world, reaper, std::cout, paint);
//   stepper.begin({});
//   while (std::getline(std::cin, line) && stepper.obey(line)) {}
//
// Thread-safety: none; one thread.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "faults/explore/search/schedule.h"
#include "faults/explore/stepping/stepped_run.h"
#include "faults/explore/world/controller.h"
#include "faults/judging/timeline.h"

namespace explore {

class Stepper {
 public:
  // Throws CannotRun.
  Stepper(const WorldPlan& world, faults::Reaper& reaper, std::ostream& out, faults::Paint paint);

  // Begins a new run, chooses these steps, and shows the moment after them. Throws CannotRun if one
  // does not fit.
  void begin(const std::vector<Schedule::Step>& steps);
  // Obeys a line of the person's; false: it was "quit". A line that cannot be obeyed is answered,
  // and changes nothing. Throws CannotRun, ClientFailed, Diverged, which end the session.
  [[nodiscard]] bool obey(const std::string& line);
  // The text in front of the person's line.
  [[nodiscard]] std::string prompt() const;

  // The verdict on the run, or on the part that has happened: *not exercised* if that broke
  // nothing.
  [[nodiscard]] faults::Verdict verdict() const;

 private:
  void show();
  void choose(std::size_t number);
  // To where it was after that step; nothing: after the one before.
  void go_back(std::optional<std::size_t> to);
  void run_on(bool to_the_end);
  void save(const std::filesystem::path& file);
  void search_from_here();
  // The point of no return of a run that has broken something, as a line; else nothing.
  [[nodiscard]] std::string last_chance() const;

  const WorldPlan world_;
  faults::Reaper& reaper_;
  std::ostream& out_;
  const faults::Paint paint_;
  SteppedRun run_;
};

}  // namespace explore
