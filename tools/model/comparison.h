// Compares a program with its model: both as graphs whose edges are actions.
//
// Both directions at once. A trace is the actions on a path from the beginning, without the edges
// that have none. After each trace that both have, the program may be in one of several states, and
// the model in one of several: what is possible next must be the same in both. So each edge of the
// program is a step of the model, and each trace of the model is a path of the program.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/model/action_graph.h"

namespace model {

// After a shortest trace, something that only one of the two can do.
struct Difference {
  bool is_of_program = false;         // the program does it; else the model allows it
  Action action;                      // that
  std::vector<std::string> schedule;  // the program's events up to it, and with it if it is its own
  std::vector<Action> trace;          // the same as actions
  std::vector<Action> program;        // what else the program can do there
  std::vector<Action> model;          // and what the model allows
};

struct Comparison {
  std::uint64_t traces = 0;  // of the model that end where nothing follows; all up to a difference
  std::size_t longest = 0;   // the actions of the longest
  std::optional<Difference> difference = {};
};

// Both graphs must be finite, and without circles.
[[nodiscard]] Comparison compare(const ActionGraph& program, const ActionGraph& model);

}  // namespace model
