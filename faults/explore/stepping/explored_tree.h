// Every order within bounds as a tree, with the state at each step: for a page that shows it where
// no process runs (tools/report/page/level.js).
//
//   lock          its name
//   bounds        {clients, nodes, faults, at_most, during, in_order, switches, judged}; nodes: how
//                 many servers; no switches: null; judged: empty is all
//   orders        how many paths lead from the root to a node without events
//   labels        of the events: [label, is it a fault]
//   clients       each state of a client once: {name, state, believes}
//   keys          each state of a server's key once: {server, name, value, owner, ends_in_ms}
//   servers       what all servers have: [indices in `keys`]
//   moments       [[an index in `clients` for each client], an index in `servers`]
//   broken        the broken properties: [{property, sentence}]
//   nodes         [time in ms, moment, broken, label, node, label, node, ...]: after the first
//                 three each event that can follow, and the node that it leads to; moment, broken
//                 and label are indices in the lists above, or -1; the last node is the root
//
// Where the same follows, and the same can be seen, two orders share their nodes: each node is
// there once, after those that follow it.
//
// Thread-safety: none; one thread.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "faults/explore/search/search.h"

namespace explore {

// Runs every order; nothing: the budget is spent before the last one.
// Tokens and other long values are left out: so the tree is the same whenever it is made. Throws
// CannotRun, ClientFailed.
[[nodiscard]] std::optional<nlohmann::json> explored_tree(const WorldPlan& world,
                                                          const SearchPlan& plan,
                                                          faults::Reaper& reaper);

}  // namespace explore
