#include "faults/world/timing.h"

#include <fmt/format.h>

#include <algorithm>

#include "faults/kit/errors.h"

namespace faults {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

milliseconds Timing::renewal_limit() const {
  // A lock that renews after a third of its lease leaves room for six renewals.
  return std::max(wait_limit(),
                  std::chrono::round<milliseconds>(3 * pace_.renewed_after * wait_limit()));
}

milliseconds Timing::loss_report_limit() const {
  return std::chrono::round<milliseconds>((pace_.renewed_after + 1.0 / 3) * medium_lease());
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
