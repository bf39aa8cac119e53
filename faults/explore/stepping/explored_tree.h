// Every order within bounds as a tree, with what could be seen at each step: for a page that leads
// through it where nothing runs (tools/report/page/walk.js).
//
//   lock          its name
//   bounds        {clients, faults, at_most, during, judged}; judged: empty is all
//   orders        how many ways lead from the root to a leaf
//   labels        of the events: [label, is it a fault]
//   clients       one each: {name, state, believes}
//   keys          what the servers have: [{server, name, value, owner, ends_in_ms}]
//   moments       [a place in `clients` for each client, a place in `keys`]
//   broken        what is broken: [{property, sentence}]
//   root          a node: [label, time in ms, moment, broken, nodes that could follow]; the first,
//                 the third and the fourth are places in the lists above, or -1
//
// Thread-safety: none; one thread.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "faults/explore/search/search.h"

namespace explore {

// Runs every order, without a limit of switches; nothing: the budget is spent before its end.
// Tokens and other long values are not in the tree: so it is the same whenever it is made. Throws
// CannotRun, ClientFailed.
[[nodiscard]] std::optional<nlohmann::json> explored_tree(const WorldPlan& world,
                                                          const SearchPlan& plan,
                                                          faults::Reaper& reaper);

}  // namespace explore
