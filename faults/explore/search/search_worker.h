// A worker of a search: runs the orders of its subtrees on a world of its own.
//
// Thread-safety: none; one thread, that of its controller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faults/explore/search/choice_point.h"
#include "faults/explore/search/run_recorder.h"
#include "faults/explore/search/search.h"
#include "faults/explore/search/shared_orders.h"
#include "faults/explore/search/switch_limit.h"

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
  // Adds the next choice, of `events`; `left`: what the order may still have. False: there is none.
  [[nodiscard]] bool add_choice(const std::vector<Event>& events, const std::string& left);
  // The state after `path_`, with these events: notes in `point` which are to be chosen here.
  void enter_state(ChoicePoint& point, const std::string& left);
  // The run has ended: true if another one has ended in the same state.
  [[nodiscard]] bool ends_in_known_state(const std::string& left);
  // Where the last choice of `path_` was made, and its name there.
  [[nodiscard]] std::pair<StateGraph::Place, std::string> last_choice() const;

  // In worker_states.cpp:
  // Ends a run whose other choices another run has; follows it all the same, if it is one of those.
  void end_early(RunRecorder& recorder, SwitchLimit& limit, const std::vector<FaultKind>& used);
  [[nodiscard]] AnonymousState present_state(const std::string& left);
  [[nodiscard]] bool is_followed() const;
  void follow_merge(RunRecorder& recorder, SwitchLimit& limit, std::vector<FaultKind> used);
  void compare_end(RunRecorder& recorder, StateGraph::Place place, bool has_ended);
  [[noreturn]] void throw_merged_wrongly(std::vector<std::string> steps, const State& now,
                                         StateGraph::Place place);
  [[nodiscard]] std::string difference_after(const std::vector<std::string>& steps,
                                             const State& now);
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
  // A number that depends on nothing but the choices (FNV-1a): so the same runs are compared
  // whenever the same search is made.
  [[nodiscard]] std::uint32_t number_of_choices() const;

  Controller& controller_;
  const SearchPlan& plan_;
  SharedOrders& orders_;
  int faults_ = 0;
  std::vector<ChoicePoint> path_;
  bool repeats_ = false;                               // a run that was made before
  StateGraph::Place merged_at_ = StateGraph::nowhere;  // where the last run met a known state
  StateGraph::Place end_ = StateGraph::nowhere;        // the state in which the last run ended
  bool may_have_two_faults_ = false;                   // from the present step on
  std::size_t fixed_ = 0;  // how many of the first choice points are outside of the subtree
};

}  // namespace explore
