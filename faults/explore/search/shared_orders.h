// The orders of a search that are still to be run, shared among its workers.
//
// A worker searches one subtree of choices, depth first. When another worker has nothing to do, it
// gives away what is left at its first choice point: that is the largest subtree it has.
//
// Thread-safety: SharedOrders is safe to share.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "faults/explore/coverage/event_pairs.h"
#include "faults/explore/search/choice_point.h"
#include "faults/explore/search/search.h"
#include "faults/explore/states/state_graph.h"

namespace explore {

// Everything below `path`, with every choice that is left at its last choice point.
struct Subtree {
  int faults = 0;  // of each order in it
  std::vector<ChoicePoint> path;
};

class SharedOrders {
 public:
  SharedOrders(const SearchPlan& plan, const Progress& progress);

  // Waits for the next subtree for a worker, which has finished its last one. Nothing: the search
  // has ended.
  [[nodiscard]] std::optional<Subtree> next();
  // True if a worker waits for a subtree; then `give` it one.
  [[nodiscard]] bool wants_subtrees();
  void give(Subtree subtree);

  // The states of the present level.
  [[nodiscard]] StateGraph& graph() { return *graph_; }

  // A run with these events is done; `is_order`: it has as many faults as its subtree asks for, so
  // that it counts.
  void count(const std::vector<std::string>& labels, bool is_order);
  void count_violated();
  // An order does not break the property that the plan asks for: the search has ended.
  void note_that_one_holds(const Run& run);
  // A run that breaks a property. `example` has its labels only; the rest of `run` is copied if no
  // simpler example is known.
  void add_example(CounterExample example, const Run& run);
  // Ends the search early: the budget is spent, or a worker has failed.
  void stop(std::exception_ptr failure = nullptr);
  [[nodiscard]] bool is_over();

  // After every worker has ended. Throws what a worker has failed with.
  [[nodiscard]] SearchResult result();

 private:
  // Call with mutex_ held.
  void begin_level(int faults);
  void end_level();
  void note_states();
  void shorten_examples();
  void end();

  const SearchPlan& plan_;
  const Progress& progress_;
  std::unique_ptr<StateGraph> graph_;  // changes only while every worker waits
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  std::mutex mutex_;
  std::condition_variable changed_;
  // All of these are guarded by mutex_.
  std::deque<Subtree> subtrees_;
  int waiting_ = 0;
  bool over_ = false;
  std::exception_ptr failure_;
  EventPairs pairs_;
  SearchResult result_;
};

}  // namespace explore
