// A worker of a search: runs the orders of its subtrees on a world of its own.
//
// Thread-safety: none; one thread, that of its controller.
#pragma once

#include <optional>
#include <vector>

#include "faults/explore/search/choice_point.h"
#include "faults/explore/search/run_recorder.h"
#include "faults/explore/search/search.h"
#include "faults/explore/search/shared_orders.h"

namespace explore {

class SearchWorker {
 public:
  SearchWorker(Controller& controller, const SearchPlan& plan, SharedOrders& orders)
      : controller_(controller), plan_(plan), orders_(orders) {}

  // Searches subtree after subtree until the search has ended. Throws Diverged, CannotRun;
  // ClientFailed with the steps that led there.
  void work();

 private:
  void take_one();
  // The next run, with the choices in `path_`; adds those that it reaches. Nothing: with so few
  // faults no order has the prefix; or all that could follow sleeps.
  [[nodiscard]] std::optional<Run> run_once(std::vector<FaultKind>& used);
  [[nodiscard]] std::optional<Run> run_with(RunRecorder& recorder, std::vector<FaultKind>& used);
  // Adds the next choice, of `events`. False: there is none.
  [[nodiscard]] bool add_choice(const std::vector<Event>& events);
  // Leaves one choice at that step: the prefix's. False: there is none.
  [[nodiscard]] bool follow_prefix(ChoicePoint& point, std::size_t step) const;
  // Throws Diverged if `events` are not those that were there before.
  void must_agree(const std::vector<Event>& events, std::size_t step) const;
  // Runs it again. Throws Diverged if that is not the same.
  void compare_with_second(const Run& run);
  void report(const Run& run);
  // Gives away the orders that are left at the first choice point that has some left.
  void give_subtree();
  [[nodiscard]] std::vector<std::size_t> choices() const;

  Controller& controller_;
  const SearchPlan& plan_;
  SharedOrders& orders_;
  int faults_ = 0;
  std::vector<ChoicePoint> path_;
  std::size_t fixed_ = 0;  // how many of the first choice points are outside of the subtree
};

}  // namespace explore
