// A step of a search at which several events could happen, and the path of such steps that leads to
// an order.
//
// Thread-safety: values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faults/explore/search/search.h"
#include "faults/explore/search/sleep_set.h"
#include "faults/explore/states/state_graph.h"

namespace explore {

struct ChoicePoint {
  std::vector<Event> events;
  // Where states are merged: the state, what its events are called there, and which of them are to
  // be chosen here; empty: all of them.
  StateGraph::Place place = StateGraph::nowhere;
  std::vector<std::string> names = {};
  std::vector<bool> mine = {};
  SleepSet sleeping;
  std::size_t chosen = 0;
  std::size_t end = 0;  // the events from here on belong to another worker

  // The first event from there on that is to be chosen; `end`: there is none.
  [[nodiscard]] std::size_t next_from(std::size_t choice) const;
};

// The choice point after `path` at which `events` can happen, with its first choice.
[[nodiscard]] ChoicePoint choice_point_after(const std::vector<ChoicePoint>& path,
                                             std::vector<Event> events, const SearchPlan& plan);
// What events are called in the graph of states, where `servers` names the servers. What a fault
// leads to depends on the step after which it comes, if another fault may follow it.
[[nodiscard]] std::vector<std::string> names_in_graph(const std::vector<Event>& events,
                                                      bool may_have_two_faults,
                                                      const std::string& last_step,
                                                      const ServerNames& servers);
// The event's label of such a name.
[[nodiscard]] std::string label_in(const std::string& name);
// Takes the next choice at the last choice point that has one left, and cuts the path there. The
// first `fixed` stay as they are. False: no choice is left.
[[nodiscard]] bool backtrack(std::vector<ChoicePoint>& path, std::size_t fixed = 0);

}  // namespace explore
