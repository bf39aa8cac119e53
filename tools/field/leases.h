// The lease that a cell's verdict is of: the one that a user gets who names none, if a run with it
// could be judged; else a shortened one.
//
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "tools/field/grid.h"

namespace field {

// Leaves the cell the runs that its verdict is of. If that is the default lease, the others become
// those it is compared with.
void prefer_default_lease(Cell& cell);

// What the runs with a shortened lease say, if they say otherwise: "held", or what was violated.
[[nodiscard]] std::string say_shortened(const Cell& cell);

// How many cells stand on which lease, and why, for people.
[[nodiscard]] std::string say_leases(const Grid& grid);

}  // namespace field
