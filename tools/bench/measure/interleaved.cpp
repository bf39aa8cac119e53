#include "tools/bench/measure/interleaved.h"

#include "tools/bench/results/statistics.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

void run_batch(const Candidate& candidate, int batch, Measured& measured) {
  const auto begin = Clock::now();
  auto before = begin;
  for (int i = 0; i < batch; ++i) {
    candidate.once();
    const auto after = Clock::now();
    measured.times.push_back(after - before);
    before = after;
  }
  measured.batches.push_back(std::chrono::duration<double>(before - begin).count() / batch);
}

}  // namespace

double Measured::per_second() const {
  return 1 / median(batches);
}

std::chrono::nanoseconds Measured::at(double share) const {
  return percentile(times, share);
}

std::vector<Measured> measure_interleaved(const std::vector<Candidate>& candidates, int rounds,
                                          int batch) {
  for (const auto& candidate : candidates) {
    Measured not_counted;
    run_batch(candidate, batch, not_counted);
  }
  std::vector<Measured> measured(candidates.size());
  for (auto& each : measured) each.times.reserve(static_cast<std::size_t>(rounds * batch));
  for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto turn = (round + i) % candidates.size();
      run_batch(candidates[turn], batch, measured[turn]);
    }
  }
  return measured;
}

double speed_ratio(const Measured& one, const Measured& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.batches.size(); ++i) {
    ratios.push_back(other.batches[i] / one.batches[i]);
  }
  return median(ratios);
}

}  // namespace bench
