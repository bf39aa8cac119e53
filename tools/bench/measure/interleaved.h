// Measures candidates interleaved: a small batch of each in turn, again and again, so that all of
// them meet the same noise of the machine.
//
// Two candidates are compared batch by batch, each with its neighbour in time; the result is the
// median of those ratios. Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct Candidate {
  std::string name;
  std::function<void()> once;  // what is timed; throws if the result is wrong
};

struct Measured {
  std::vector<std::chrono::nanoseconds> times;  // of each single one
  std::vector<double> batches;                  // seconds for one, batch by batch

  [[nodiscard]] double per_second() const;                        // by the median batch
  [[nodiscard]] std::chrono::nanoseconds at(double share) const;  // the percentile of `times`
};

// `rounds` times: `batch` of each candidate, another one first each time. One batch of each goes
// before that and is not counted: scripts are loaded in it, and connections made.
[[nodiscard]] std::vector<Measured> measure_interleaved(const std::vector<Candidate>& candidates,
                                                        int rounds, int batch);

// How many times as fast `one` is as `other`: the median over the rounds.
[[nodiscard]] double speed_ratio(const Measured& one, const Measured& other);

}  // namespace bench
