// A person chooses on the terminal what happens next to a lock.
//
// Thread-safety: none; one thread.
#pragma once

#include "faults/explore/search/schedule.h"
#include "faults/kit/reaper.h"
#include "faults/world/tested_lock.h"
#include "tools/terminal/options.h"

namespace app {

// Does the steps of `schedule` with `lock`, then what standard input says. Returns the exit code.
// Throws CannotRun if a step does not fit; ClientFailed, Diverged.
[[nodiscard]] int step_through(const faults::TestedLock& lock, const explore::Schedule& schedule,
                               const terminal::Options& options, faults::Reaper& reaper);

}  // namespace app
