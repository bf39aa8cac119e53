// A person is the driver: chooses what happens next, goes back, looks, keeps what was chosen.
//
//   Stepper stepper(world, reaper, std::cout, paint);
//   stepper.begin({});
//   while (std::getline(std::cin, line) && stepper.obey(line)) {}
//
// Thread-safety: none; one thread.
#pragma once

#include <filesystem>
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

  const WorldPlan world_;
  faults::Reaper& reaper_;
  std::ostream& out_;
  const faults::Paint paint_;
  SteppedRun run_;
};

}  // namespace explore
