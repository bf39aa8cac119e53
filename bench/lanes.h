// Things to compare, measured side by side: a small batch of each in turn, again and again, so that
// whatever else the machine does meets all of them alike.
//
// What is compared is compared batch by batch with its neighbour in time; the median of those
// ratios is what counts. Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct Lane {
  std::string name;
  std::function<void()> once;  // what is timed; throws if the result is wrong
};

struct Measured {
  std::vector<std::chrono::nanoseconds> times;  // of each single one
  std::vector<double> batches;                  // seconds for one, batch by batch

  [[nodiscard]] double per_second() const;                        // by the median batch
  [[nodiscard]] std::chrono::nanoseconds at(double share) const;  // the percentile of `times`
};

// `rounds` times: `batch` of each lane, another one first each time. One batch of each goes before
// that and is not counted: scripts are loaded in it, and connections made.
[[nodiscard]] std::vector<Measured> run_lanes(const std::vector<Lane>& lanes, int rounds,
                                              int batch);

// How many times as fast `one` is as `other`: the median over the rounds.
[[nodiscard]] double speed_ratio(const Measured& one, const Measured& other);

}  // namespace bench
