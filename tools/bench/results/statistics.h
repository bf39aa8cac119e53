// The statistics of the benchmarks: medians, percentiles, and how far values spread.
//
// Medians and not means: one batch that the machine was busy in must not count. Thread-safety:
// pure functions.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace bench {

// The smallest of `samples` that is not below a `share` (0 to 1) of them: nearest rank, no
// interpolation, so it is a value that was measured. Throws std::invalid_argument without samples.
template <typename T>
[[nodiscard]] T percentile(std::vector<T> samples, double share) {
  if (samples.empty()) throw std::invalid_argument("a percentile needs samples");
  const auto count = static_cast<double>(samples.size());
  const auto rank = static_cast<std::size_t>(std::clamp(std::ceil(share * count), 1.0, count));
  const auto place = samples.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(samples.begin(), place, samples.end());
  return *place;
}

// For a table or a plot.
[[nodiscard]] inline double in_us(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

// The middle one; of an even number the mean of the two in the middle. Throws
// std::invalid_argument without samples.
[[nodiscard]] double median(const std::vector<double>& samples);

// The spread of one figure over the repetitions.
struct Spread {
  double least = 0;
  double median = 0;
  double most = 0;
};
// Throws std::invalid_argument without samples.
[[nodiscard]] Spread spread_of(const std::vector<double>& samples);

// True if two spreads do not overlap: then they differ by more than the repetitions did.
[[nodiscard]] bool lie_apart(const Spread& one, const Spread& other);

}  // namespace bench
