// Several things at a time, such as runs: most of a run is waiting for leases to run out.
#pragma once

#include <cstddef>
#include <functional>

namespace faults {

// Runs `task(i)` for each `i` below `count`, on `jobs` threads (at least one), the smaller ones
// first. If one throws, no other is begun, and what it threw is thrown when those under way are
// done.
void run_in_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& task);

// How many runs this machine can do at a time.
[[nodiscard]] int usual_jobs();

}  // namespace faults
