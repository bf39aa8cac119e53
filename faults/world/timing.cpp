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

milliseconds Timing::at_most_users(milliseconds wanted) const {
  const auto longest = pace_.longest_lease;
  return longest.count() == 0 ? wanted : std::min(wanted, std::max(longest, pace_.lease));
}

milliseconds Timing::renewal_limit() const {
  return std::max({wait_limit(), 12 * pace_.period(lease()), 3 * pace_.period(medium_lease()),
                   8 * pace_.period(slowdown_ * pace_.outlasts_a_loss)});
}

milliseconds Timing::loss_report_limit() const {
  return lease_told_of_removal() + lease();
}

std::optional<milliseconds> Timing::acquire_limit(milliseconds wait) const {
  if (!pace_.end) return std::nullopt;
  const auto step = pace_.end->wait_step;
  const auto tries = step.count() > 0 ? (wait + step - milliseconds(1)) / step + 1 : 1;
  const auto longest = wait + tries * (pace_.end->longest_try + pace_.retry);
  return std::max(boundary_timeout / 2, longest + longest / 10);
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
