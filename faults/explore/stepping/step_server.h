// A person is the driver, in a browser: a page on loopback that shows one moment of a run, lets the
// next event be chosen, and keeps the tree of all branches that were tried.
//
//   StepServer server(world, {}, reaper);
//   std::cout << server.address();
//   server.serve();
//
// GET /moment is the moment as JSON; POST /steps with {"steps": […]} goes to the place behind these
// steps: one more than now chooses an event, any others begin anew.
// Only programs of this machine can reach it, and no page of another site.
//
// Thread-safety: `stop` may be called by any thread, all others by the one that made it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "faults/explore/stepping/stepped_run.h"

namespace explore {

class StepServer {
 public:
  // Stands behind these steps. Throws CannotRun: one does not fit, or no port is free.
  StepServer(const WorldPlan& world, const std::vector<Schedule::Step>& steps,
             faults::Reaper& reaper);
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
