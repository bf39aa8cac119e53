#include "bench/lanes.h"

#include "bench/statistics.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

void run_batch(const Lane& lane, int batch, Measured& measured) {
  const auto begin = Clock::now();
  auto before = begin;
  for (int i = 0; i < batch; ++i) {
    lane.once();
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

std::vector<Measured> run_lanes(const std::vector<Lane>& lanes, int rounds, int batch) {
  for (const auto& lane : lanes) {
    Measured not_counted;
    run_batch(lane, batch, not_counted);
  }
  std::vector<Measured> measured(lanes.size());
  for (auto& lane : measured) lane.times.reserve(static_cast<std::size_t>(rounds * batch));
  for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const auto turn = (round + i) % lanes.size();
      run_batch(lanes[turn], batch, measured[turn]);
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
