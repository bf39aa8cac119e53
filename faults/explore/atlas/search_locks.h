// The searches of the atlas: each lock under each kind of fault that explore's table has
// (search/survival.h), with all promises judged in each.
//
// Left out of that table is "nested", since no part makes a lock re-entrant, and what needs two
// faults. A lock that breaks without a fault is searched no further.
//
// Thread-safety: as `explore::search`.
#pragma once

#include <string>
#include <vector>

#include "faults/explore/atlas/findings.h"
#include "faults/explore/search/survival.h"

namespace atlas {

// The kinds of fault, in the order of a table.
[[nodiscard]] const std::vector<explore::SurvivalRow>& kinds_of_fault();

struct Effort {
  long most_orders = 20'000;  // of one search
  int workers = 1;
};

// States are merged, and every order is run where that goes wrong. Throws as `explore::search`,
// except Diverged: then nothing is known of that kind.
[[nodiscard]] Finding search_lock(const Parts& parts, const faults::RedisBinary& redis,
                                  const Effort& effort, faults::Reaper& reaper);
[[nodiscard]] Cell search_under(const explore::SurvivalRow& kind, const faults::TestedLock& lock,
                                const faults::RedisBinary& redis, const Effort& effort,
                                faults::Reaper& reaper);

}  // namespace atlas
