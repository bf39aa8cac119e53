// Reads the state of a searched world: of its servers, its storage, its clients, of what is in
// flight, and of what the judges may still ask (judging_facts.h).
//
// Thread-safety: none; the thread of that world.
#pragma once

#include <set>
#include <string>

#include "faults/explore/states/state.h"
#include "faults/explore/world/searched_world.h"

namespace explore {

// `rested`: the clients that have been stopped since before time last advanced. `may_fail_over`: a
// server may still; then what its replica has matters.
[[nodiscard]] State state_of(SearchedWorld& world, const std::set<std::string>& rested,
                             bool may_fail_over);

}  // namespace explore
