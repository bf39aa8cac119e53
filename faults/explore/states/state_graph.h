// The graph of the states that a search has met: which events were chosen in each, and the state
// that followed.
//
// A state that was met before is searched only for events that nobody has chosen in it yet: what
// follows depends only on the state and the event. A fault's name says after which steps it may
// come (world/enabled_events.h).
//
// Memory is bounded: when it is full, new states are searched as in a tree, and are not kept.
//
// Thread-safety: safe to share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "faults/explore/states/state.h"

namespace explore {

class StateGraph {
 public:
  using Place = std::uint32_t;  // a state's
  static constexpr Place nowhere = std::numeric_limits<Place>::max();

  explicit StateGraph(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  struct Visit {
    Place place = nowhere;   // nowhere: the memory is full, and the state was not kept
    bool is_known = false;   // it was met before
    std::vector<bool> mine;  // of the events that were asked for: those that the caller must choose
  };
  // How a state was met: by `event` in the state `from`; what is broken there already; and the
  // events to choose from.
  struct Met {
    StateHash state;
    std::string broken;
    Place from = nowhere;
    std::string event;
    std::vector<std::string> events = {};
  };
  [[nodiscard]] Visit visit(const Met& met);
  // True if the event has been chosen in the state, or will be by who met it first.
  [[nodiscard]] bool has(Place place, const std::string& event) const;
  // What the judges say of a run that ends in that state.
  void judge(Place place, const std::string& broken);

  [[nodiscard]] long states() const;
  [[nodiscard]] long edges() const;
  // Edges of which the next state is not known: nobody has gone there yet, or it was not kept.
  [[nodiscard]] long open_edges() const;
  [[nodiscard]] bool is_full() const;

  // The known state of that hash; the one that follows `event` there; and what is broken at its
  // end. Nothing: that is not known.
  [[nodiscard]] Place find(const StateHash& state) const;
  [[nodiscard]] Place next(Place place, const std::string& event) const;
  [[nodiscard]] std::optional<std::string> broken_at(Place place) const;
  // The events on a path that leads there.
  [[nodiscard]] std::vector<std::string> path_to(Place place) const;
  // The events on a shortest path to a state in which that is broken; of those one with few
  // changes from one client to another. Empty: none is known.
  [[nodiscard]] std::vector<std::string> shortest_to(const std::string& broken) const;

 private:
  struct Edge {
    std::uint32_t event = 0;  // its number
    Place next = nowhere;
  };
  struct Node {
    std::vector<Edge> edges;
    Place from = nowhere;
    std::uint32_t event = 0;
    std::uint32_t broken = 0;
    bool is_judged = false;  // a run has ended here, and `broken` is what came of it
  };
  // The best way to a state that is known so far.
  struct Way {
    int steps = std::numeric_limits<int>::max();
    int switches = 0;
    Place from = nowhere;
    std::uint32_t event = 0;
  };

  // Call with mutex_ held.
  [[nodiscard]] std::uint32_t number_of(const std::string& name);
  [[nodiscard]] const Edge* find_edge(Place place, const std::string& event) const;
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] Way way_on(Place place, const Way& way, const Edge& edge) const;

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  // All of these are guarded by mutex_.
  std::unordered_map<StateHash, Place, StateHasher> places_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
  long edges_ = 0;
  bool full_ = false;
};

}  // namespace explore
