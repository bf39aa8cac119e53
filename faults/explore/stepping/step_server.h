// A person chooses the events of a run in a browser: a page on loopback shows one moment of the run
// and what can happen next, and keeps the tree of all branches that were tried.
//
//   StepServer server(world, {}, reaper);
//   std::cout << server.address();
//   server.serve();
//
// GET /texts returns what the page says in the reader's language; GET /moment returns the moment as
// JSON, with the texts that are new in it; POST /steps with {"steps": […]} goes to the moment after
// these steps: one step more than now chooses an event, any others begin a new run. Only programs
// of this machine can reach it, and no page of another site.
//
// Thread-safety: `stop` may be called by any thread, the others by the thread that made it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "faults/explore/stepping/stepped_run.h"

namespace explore {

// Another language than English.
struct PageLanguage {
  std::string_view texts;  // {"English": "translation"}, as JSON
  std::function<std::string(const std::string& english)> translate;
};

class StepServer {
 public:
  // Begins after these steps. `language` without texts is English. Throws CannotRun: a step does
  // not fit, or no port is free.
  StepServer(const WorldPlan& world, const std::vector<Schedule::Step>& steps,
             faults::Reaper& reaper, PageLanguage language = {});
  ~StepServer();
  StepServer(const StepServer&) = delete;
  StepServer& operator=(const StepServer&) = delete;

  // "http://127.0.0.1:40001/"
  [[nodiscard]] std::string address() const;
  // Answers until `stop`.
  void serve();
  void stop();

 private:
  class Pages;
  std::unique_ptr<Pages> pages_;
};

}  // namespace explore
