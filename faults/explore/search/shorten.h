// Makes a counter-example shorter.
//
// Thread-safety: none; one thread.
#pragma once

#include "faults/explore/search/search.h"
#include "faults/explore/world/controller.h"

namespace explore {

// Leaves out steps, many at a time and then fewer, as long as the same property breaks sooner.
// Steps that no longer fit are left out, too. Throws CannotRun, ClientFailed.
[[nodiscard]] CounterExample shorten(Controller& controller, CounterExample example);

}  // namespace explore
