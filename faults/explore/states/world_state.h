// Reads the state of a searched world: of its servers, its storage, its clients, of what is in
// flight, and of what the judges may still ask (judging_facts.h).
//
// Thread-safety: none; the thread of that world.
#pragma once

#include <set>
#include <string>

#include "faults/explore/states/server_names.h"
#include "faults/explore/states/state.h"
#include "faults/explore/world/searched_world.h"

namespace explore {

// `rested`: the clients that have been stopped since before time last advanced. `may_fail_over`: a
// server may still; then what its replica has matters.
[[nodiscard]] State state_of(SearchedWorld& world, const std::set<std::string>& rested,
                             bool may_fail_over);

// The same for a lock that treats its servers alike: two orders that lead to the same state here
// have the same future, but for the servers' names. (Two such orders may still lead to different
// states: that costs time, and no truth.)
[[nodiscard]] AnonymousState state_without_names(SearchedWorld& world,
                                                 const std::set<std::string>& rested,
                                                 bool may_fail_over);

}  // namespace explore
