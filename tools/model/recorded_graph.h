// Every state that a world can reach within bounds, and what the history says of each event: what a
// model of a lock is compared with.
//
// No order is left out: the plan's reductions do not count here, since an event that is left out in
// the graph would seem to be one that the program does not have.
//
// Thread-safety: none; one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "faults/explore/search/search.h"
#include "faults/kit/history.h"

namespace model {

struct RecordedEvent {
  explore::EventKind kind = explore::EventKind::advance;
  std::string client;           // empty: of time, or of a server
  std::string label;            // as a schedule has it
  faults::Record history = {};  // what happened then
  std::size_t next = 0;         // the state that follows
};

struct RecordedGraph {
  std::vector<std::vector<RecordedEvent>> states;  // the events of each; the first is the beginning

  [[nodiscard]] std::size_t events() const;
};

// Takes the clients, faults, `at_most`, `during` and budget of the plan. Nothing: the budget is
// spent before the last event. Throws CannotRun; ClientFailed; Diverged if two orders that led to
// the same state differ.
[[nodiscard]] std::optional<RecordedGraph> recorded_graph(const explore::WorldPlan& world,
                                                          const explore::SearchPlan& plan,
                                                          faults::Reaper& reaper);

}  // namespace model
