// `lab soak --time real`: its progress and what it says at its end.
//
// Thread-safety: none; one thread.
#pragma once

#include "faults/explore/search/soak.h"
#include "faults/kit/reaper.h"
#include "tools/table/options.h"

namespace app {

// Soaks, keeps what it finds, and prints it. Returns the exit code. Throws CannotRun.
[[nodiscard]] int soak_real(const table::Options& options, const explore::WorldPlan& world,
                            const explore::SoakPlan& plan, faults::Reaper& reaper);

// How a soak ended, in either time, in a few words. `has_shown`: a run of it could be judged.
[[nodiscard]] std::string describe_end(bool is_broken, bool has_shown, const faults::Paint& paint);

}  // namespace app
