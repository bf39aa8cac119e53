#include "tools/model/comparison.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace model {
namespace {

using Places = std::set<std::size_t>;

// The states that a trace may have led to, in the program and in the model.
struct Pair {
  Places program;
  Places model;

  friend auto operator<=>(const Pair&, const Pair&) = default;
};

// Those that edges without an action lead to as well.
Places closed(const ActionGraph& graph, Places places) {
  std::vector<std::size_t> open(places.begin(), places.end());
  while (!open.empty()) {
    const auto place = open.back();
    open.pop_back();
    for (const auto& edge : graph[place]) {
      if (!edge.action && places.insert(edge.next).second) open.push_back(edge.next);
    }
  }
  return places;
}

// The actions that are possible in any of these states, and where they lead.
std::map<Action, Places> following(const ActionGraph& graph, const Places& places) {
  std::map<Action, Places> all;
  for (const auto place : places) {
    for (const auto& edge : graph[place]) {
      if (edge.action) all[*edge.action].insert(edge.next);
    }
  }
  for (auto& [action, next] : all) next = closed(graph, std::move(next));
  return all;
}

std::vector<Action> names_of(const std::map<Action, Places>& actions) {
  std::vector<Action> names;
  for (const auto& [action, next] : actions) names.push_back(action);
  return names;
}

// The labels of a path whose actions are `trace`, from there on. Nothing: there is none.
std::optional<std::vector<std::string>> path_along(const ActionGraph& program,
                                                   const std::vector<Action>& trace,
                                                   std::size_t place, std::size_t from = 0) {
  if (from == trace.size()) return std::vector<std::string>();
  for (const auto& edge : program[place]) {
    if (edge.action && *edge.action != trace[from]) continue;
    auto rest = path_along(program, trace, edge.next, from + (edge.action ? 1 : 0));
    if (!rest) continue;
    rest->insert(rest->begin(), edge.label);
    return rest;
  }
  return std::nullopt;
}

// Goes through the traces of both, one action longer each time.
class Walk {
 public:
  Walk(const ActionGraph& program, const ActionGraph& model) : program_(program), model_(model) {}

  [[nodiscard]] Comparison compare() {
    Pairs present;
    present[{closed(program_, {0}), closed(model_, {0})}].traces = 1;
    while (!present.empty() && !result_.difference) {
      levels_.push_back(std::move(present));
      present = go_on();
    }
    result_.longest = levels_.size() - 1;
    return std::move(result_);
  }

 private:
  struct Reached {
    std::uint64_t traces = 0;    // that lead there
    const Pair* from = nullptr;  // in the level before
    Action by = {};
  };
  using Pairs = std::map<Pair, Reached>;

  // The pairs that follow those of the last level.
  [[nodiscard]] Pairs go_on() {
    Pairs next;
    for (const auto& [pair, reached] : levels_.back()) {
      const auto program = following(program_, pair.program);
      const auto model = following(model_, pair.model);
      if (names_of(program) != names_of(model)) {
        note_difference(pair, names_of(program), names_of(model));
        break;
      }
      if (model.empty()) result_.traces += reached.traces;
      for (const auto& [action, places] : model) {
        auto& further = next[{program.at(action), places}];
        if (further.traces == 0) further = {.from = &pair, .by = action};
        further.traces += reached.traces;
      }
    }
    return next;
  }

  void note_difference(const Pair& pair, std::vector<Action> program, std::vector<Action> model) {
    std::vector<Action> only;
    std::set_difference(program.begin(), program.end(), model.begin(), model.end(),
                        std::back_inserter(only));
    const bool is_of_program = !only.empty();
    if (!is_of_program) {
      std::set_difference(model.begin(), model.end(), program.begin(), program.end(),
                          std::back_inserter(only));
    }
    auto trace = trace_to(pair);
    auto shown = trace;
    if (is_of_program) shown.push_back(only.front());
    result_.difference = Difference{.is_of_program = is_of_program,
                                    .action = only.front(),
                                    .schedule = path_along(program_, shown, 0).value(),
                                    .trace = std::move(trace),
                                    .program = std::move(program),
                                    .model = std::move(model)};
  }

  // The shortest trace that leads to a pair of the last level.
  [[nodiscard]] std::vector<Action> trace_to(const Pair& pair) const {
    std::vector<Action> trace;
    const auto* place = &pair;
    for (auto level = levels_.size(); level > 1; --level) {
      const auto& reached = levels_[level - 1].at(*place);
      trace.push_back(reached.by);
      place = reached.from;
    }
    std::reverse(trace.begin(), trace.end());
    return trace;
  }

  const ActionGraph& program_;
  const ActionGraph& model_;
  std::vector<Pairs> levels_;
  Comparison result_;
};

}  // namespace

Comparison compare(const ActionGraph& program, const ActionGraph& model) {
  return Walk(program, model).compare();
}

}  // namespace model
