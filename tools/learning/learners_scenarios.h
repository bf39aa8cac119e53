// Scenarios that are only for the locks of learners: they show mistakes that none of our stages and
// no library makes, so that they have no row in the tables.
//
// Thread-safety: immutable.
#pragma once

#include <vector>

#include "faults/scenarios/scenario.h"

namespace learning {

// Those that a lock of an exercise of that number has to withstand beside its stage's.
[[nodiscard]] std::vector<const faults::Scenario*> learners_scenarios(char exercise);

// One of those of exercise 5; for every lock that renews, whatever its exercise asks for.
[[nodiscard]] const faults::Scenario& frozen_renewal();

// One that judges nothing: whether the lock renews what its exercise does not ask to be renewed.
[[nodiscard]] const faults::Scenario& outlived_lease();

}  // namespace learning
