#include "faults/world/unanswered.h"

#include <algorithm>

namespace faults {

using std::chrono::milliseconds;

milliseconds Unanswered::one_lost() const {
  return after == never ? never : after + (tries > 1 ? pause : milliseconds(0));
}

milliseconds Unanswered::silent() const {
  return after == never ? never : tries * after + (tries - 1) * pause;
}

milliseconds Unanswered::try_where_silent(milliseconds lease, std::size_t servers) const {
  return try_that_takes(only_renewals_again ? after : silent(), lease, servers);
}

milliseconds Unanswered::try_where_gone(milliseconds lease, std::size_t servers) const {
  return try_that_takes(gone_after.value_or(never), lease, servers);
}

milliseconds Unanswered::try_that_takes(milliseconds time, milliseconds lease,
                                        std::size_t servers) const {
  if (time != never && in_turn) time *= static_cast<long>(servers);
  if (lease_part == 0) return time;
  return std::min(time, std::chrono::ceil<milliseconds>(lease_part * lease));
}

}  // namespace faults
