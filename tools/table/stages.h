// The stages of this repository, and the names that a person may use for them.
#pragma once

#include <string>
#include <vector>

#include "faults/scenarios/scenario.h"
#include "faults/world/tested_lock.h"

namespace table {

// Every stage, in order. Throws CannotRun.
[[nodiscard]] std::vector<faults::TestedLock> all_stages();

// Every wrong turn of every stage, in order. Throws CannotRun.
[[nodiscard]] std::vector<faults::TestedLock> all_wrong_turns();
[[nodiscard]] std::vector<faults::TestedLock> all_variants();
// Both.
[[nodiscard]] std::vector<faults::TestedLock> all_relatives();

// The stage a person means by "stage3_set_nx_px", "stage3" or "3"; or the wrong turn, by the name
// of its stage, "/" and its own, or by its own alone. Throws CannotRun, with the nearest names.
[[nodiscard]] faults::TestedLock stage_named(const std::string& name);

// A stage, a wrong turn, a lock of field/ or of the atlas, on `nodes` servers (0: its default).
// Throws CannotRun, with the nearest names; or if a lock on one server is to stand on more.
[[nodiscard]] faults::TestedLock stage_or_lock_named(const std::string& name, int nodes = 0);

// The scenarios a person means: one, or a family ("reply_lost" for "reply_lost_acquire" and
// "reply_lost_release"). Throws CannotRun, with the nearest names.
[[nodiscard]] std::vector<const faults::Scenario*> scenarios_named(const std::string& name);

}  // namespace table
