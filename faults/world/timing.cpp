#include "faults/world/timing.h"

#include <fmt/format.h>

#include <algorithm>

#include "faults/kit/errors.h"

namespace faults {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

milliseconds Pace::period(milliseconds of_lease) const {
  if (renewed_before_end.count() == 0) {
    return std::chrono::round<milliseconds>(renewed_after * of_lease);
  }
  return std::max(milliseconds(1), of_lease - renewed_before_end);
}

milliseconds Timing::renewal_limit() const {
  return std::max({wait_limit(), 12 * pace_.period(lease()), 3 * pace_.period(medium_lease())});
}

milliseconds Timing::loss_report_limit() const {
  return medium_lease() + lease();
}

void Timing::must_be_within(milliseconds time, steady_clock::time_point since) {
  const auto took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - since);
  if (took < time) return;
  throw Stalled(fmt::format("the machine took {} ms for what should be done in {} ms", took.count(),
                            time.count()));
}

void Timing::should_be_within(milliseconds time, steady_clock::time_point since) const {
  if (slowdown_ < max_slowdown) must_be_within(time, since);
}

}  // namespace faults
