// How long things last in one world: leases, waits, and deadlines for the machine.
//
// A world whose machine did not keep up is run again with longer leases and waits. Scenarios take
// their times from here, and write no milliseconds of their own.
//
// Thread-safety: immutable.
#pragma once

#include <chrono>

namespace faults {

class Timing {
 public:
  // A's short lease in a world that is not slowed down.
  static constexpr std::chrono::milliseconds usual_lease{300};
  // Outlives every scenario.
  static constexpr std::chrono::milliseconds long_lease{60'000};
  // How long a boundary may take to be reached.
  static constexpr std::chrono::milliseconds boundary_timeout{10'000};
  // A client of several servers surely waits so long for a silent one, in every world: half of what
  // stage 7's client does.
  static constexpr std::chrono::milliseconds node_timeout{1'000};
  // The greatest slowdown of a world.
  static constexpr int max_slowdown = 3;

  // In this world leases and waits last `slowdown` times as long as usual.
  explicit Timing(int slowdown) : slowdown_(slowdown) {}

  // A short lease, which scenarios wait out for real.
  [[nodiscard]] std::chrono::milliseconds lease() const { return slowdown_ * usual_lease; }
  // A lease with more room between the holder's own deadline and the server's.
  [[nodiscard]] std::chrono::milliseconds medium_lease() const { return 5 * lease(); }
  // How long a client waits that should get in within one short lease.
  [[nodiscard]] std::chrono::milliseconds wait_limit() const { return 8 * lease(); }

  // Throws Stalled if more than `time` has passed since then.
  static void must_be_within(std::chrono::milliseconds time,
                             std::chrono::steady_clock::time_point since);
  // The same, except in the slowest world: a run there is better than none.
  void should_be_within(std::chrono::milliseconds time,
                        std::chrono::steady_clock::time_point since) const;

 private:
  int slowdown_;
};

}  // namespace faults
