// The steps of a history in real time, to be tried in virtual time.
//
// A history of real time says more than a schedule can: many clients, and each comes again and
// again. Only the passes of clients around a finding count; each pass becomes a client of its own,
// which goes through its program once: "A", "B" and so on, in the order in which they began.
//
// A step says which event it is, but not its label, which depends on the world it is tried in (a
// script has a name there). A step that fits nothing is left out.
//
// Thread-safety: `steps_around` is a pure function; `follow` runs on the controller's thread.
#pragma once

#include <string>
#include <vector>

#include "faults/explore/search/run.h"
#include "faults/explore/world/controller.h"
#include "faults/explore/world/event.h"
#include "faults/judging/verdict.h"
#include "faults/kit/history.h"

namespace explore {

struct HistoryStep {
  Deed deed = Deed::advance;  // advance: time, until a lease has ended
  std::string client = {};    // empty: of time, or of a server
  std::string server = {};    // that a message goes to or comes from: "redis", "node2", "storage"
  std::string command = {};   // of a message
};

struct HistorySteps {
  int clients = 0;  // how many passes there are
  std::vector<HistoryStep> steps;
};

// The steps that lead to `finding`.
[[nodiscard]] HistorySteps steps_around(const faults::Finding& finding,
                                        const faults::Record& record);

// Tries them in a new run, then lets every client go on by itself.
[[nodiscard]] Run follow(Controller& controller, const HistorySteps& steps);

}  // namespace explore
