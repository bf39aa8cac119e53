// The orders of a search that are still to be run, shared among its workers.
//
// A worker goes through one part of the tree of choices, depth first. When another has nothing to
// do, it gives away what is left at the first of its choices: that is the largest part it has.
//
// Thread-safety: SharedOrders is safe to share; the others are values.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "faults/explore/search/search.h"
#include "faults/explore/search/sleep_set.h"

namespace explore {

// The events that could be chosen at one step.
struct Node {
  std::vector<Event> events;
  SleepSet sleeping;
  std::size_t chosen = 0;
  std::size_t end = 0;  // those from here on are somebody else's

  // The first from there on that does not sleep; `end`: there is none.
  [[nodiscard]] std::size_t next_from(std::size_t choice) const;
};

// The node behind `path` at which `events` can happen, with its first choice.
[[nodiscard]] Node node_behind(const std::vector<Node>& path, std::vector<Event> events,
                               const SearchPlan& plan);
// Turns to the next choice at the last of its nodes that has one, but for the first `fixed`. False:
// there is none.
[[nodiscard]] bool turn(std::vector<Node>& path, std::size_t fixed = 0);

// A part of the tree: everything below `path`, with every choice that is left at its last node.
struct Part {
  int faults = 0;  // of each order in it
  std::vector<Node> path;
};

class SharedOrders {
 public:
  SharedOrders(const SearchPlan& plan, const Progress& progress);

  // The next part for a worker, which has ended its last one; waits for it. Nothing: the search is
  // over.
  [[nodiscard]] std::optional<Part> next();
  // Is somebody waiting for a part? Then give him one.
  [[nodiscard]] bool wants_parts();
  void give(Part part);

  // A run of so many steps was done; `order`: it has as many faults as its part asks for, so that
  // it counts.
  void count(std::size_t steps, bool order);
  // A run that breaks something. `example` has its labels; the rest of it is taken over if no
  // simpler one is known.
  void take(CounterExample example, const Run& run);
  void count_violated();
  // The search is to end early: the budget is spent, or a worker has failed.
  void stop(std::exception_ptr failure = nullptr);
  [[nodiscard]] bool is_over();

  // When every worker has come to an end. Throws what a worker has failed with.
  [[nodiscard]] SearchResult result();

 private:
  // With the lock held.
  void begin_level(int faults);
  void end_level();
  void end();

  const SearchPlan& plan_;
  const Progress& progress_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  std::mutex mutex_;
  std::condition_variable changed_;
  // All of these are guarded by mutex_.
  std::deque<Part> parts_;
  int waiting_ = 0;
  bool over_ = false;
  std::exception_ptr failure_;
  SearchResult result_;
};

}  // namespace explore
