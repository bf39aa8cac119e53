#include "tools/bench/results/statistics.h"

namespace bench {

double median(const std::vector<double>& samples) {
  const auto lower = percentile(samples, 0.5);
  if (samples.size() % 2 == 1) return lower;
  const auto above = static_cast<double>(samples.size() / 2 + 1);
  return (lower + percentile(samples, above / static_cast<double>(samples.size()))) / 2;
}

Spread spread_of(const std::vector<double>& samples) {
  const auto middle = median(samples);
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  return {.least = *least, .median = middle, .most = *most};
}

bool lie_apart(const Spread& one, const Spread& other) {
  return one.most < other.least || other.most < one.least;
}

}  // namespace bench
