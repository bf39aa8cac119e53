// Every order within bounds as a tree, with the state at each step: for a page that shows it where
// no process runs (tools/report/page/walk.js).
//
//   lock          its name
//   bounds        {clients, faults, at_most, during, judged}; judged: empty is all
//   orders        how many paths lead from the root to a leaf
//   labels        of the events: [label, is it a fault]
//   clients       each state of a client once: {name, state, believes}
//   keys          the keys of the servers: [{server, name, value, owner, ends_in_ms}]
//   moments       [an index in `clients` for each client, an index in `keys`]
//   broken        the broken properties: [{property, sentence}]
//   root          a node: [label, time in ms, moment, broken, nodes that could follow]; the first,
//                 the third and the fourth are indices in the lists above, or -1
//
// Thread-safety: none; one thread.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "faults/explore/search/search.h"

namespace explore {

// Runs every order, without a limit of switches; nothing: the budget is spent before the last one.
// Tokens and other long values are left out: so the tree is the same whenever it is made. Throws
// CannotRun, ClientFailed.
[[nodiscard]] std::optional<nlohmann::json> explored_tree(const WorldPlan& world,
                                                          const SearchPlan& plan,
                                                          faults::Reaper& reaper);

}  // namespace explore
