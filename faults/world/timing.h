// How long things last in one world: leases, waits, and deadlines for the machine.
//
// A world whose machine did not keep up is run again with longer leases and waits. Scenarios take
// their times from here, and write no milliseconds of their own.
//
// Thread-safety: immutable.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace faults {

// How long a lock's leases are, and how soon it renews them.
struct Pace {
  std::chrono::milliseconds lease{300};        // the short lease in a world that is not slowed down
  std::chrono::milliseconds longest_lease{0};  // that a user takes; 0: any
  double renewed_after = 1.0 / 3;              // this part of a lease; 1: not known
  std::chrono::milliseconds renewed_before_end{0};  // if that is set, so long before its end
  // A waiter asks again by itself after at most that time; 0: many times within a lease.
  std::chrono::milliseconds retry{0};
  // A try lasts so long at most, where servers do not answer; 0: hardly any time, or not known.
  std::chrono::milliseconds longest_try{0};
  // The least of the leases that must outlast a lost reply, or whose holder must be notified of a
  // loss in time (LockFacts); 0: any.
  std::chrono::milliseconds outlasts_a_loss{0};
  std::chrono::milliseconds told_of_removal{0};
  std::chrono::milliseconds told_of_silence{0};
  // The longest time from the answer that shows a loss until the holder is notified.
  std::chrono::milliseconds told_late{0};
  // A client gives up on a reply after that time; 0: never, or not known; none: as it is
  // configured.
  std::optional<std::chrono::milliseconds> gives_up_after = {};
  // By when an acquire ends where its servers are gone; none: it promises no time, or none is
  // known.
  struct End {
    std::chrono::milliseconds longest_try{0};
    std::chrono::milliseconds wait_step{0};  // it tries once for each, and once more; 0: by time
  };
  std::optional<End> end = End{};

  // How long after a renewal of such a lease the next one comes.
  [[nodiscard]] std::chrono::milliseconds period(std::chrono::milliseconds of_lease) const;
};

class Timing {
 public:
  // The same of most locks.
  static constexpr std::chrono::milliseconds usual_lease{300};
  // Outlives every scenario whose short leases are no longer than usual.
  static constexpr std::chrono::milliseconds usual_long_lease{60'000};
  // How long a boundary may take to be reached.
  static constexpr std::chrono::milliseconds boundary_timeout{10'000};
  // A client of several servers surely waits so long for a silent one, in every world: half of what
  // a lock on several servers waits by itself.
  static constexpr std::chrono::milliseconds node_timeout{1'000};
  // The greatest slowdown of a world.
  static constexpr int max_slowdown = 3;

  // In this world leases and waits last `slowdown` times as long as usual.
  explicit Timing(int slowdown, Pace pace = {}) : slowdown_(slowdown), pace_(pace) {}

  // A short lease, which scenarios wait out for real.
  [[nodiscard]] std::chrono::milliseconds lease() const { return slowdown_ * pace_.lease; }
  // A lease that outlives every scenario.
  [[nodiscard]] std::chrono::milliseconds long_lease() const {
    constexpr int more_than_any_waits = 30;
    return std::max(usual_long_lease, more_than_any_waits * lease());
  }
  // A lease with more room between the holder's own deadline and the server's.
  [[nodiscard]] std::chrono::milliseconds medium_lease() const {
    return at_most_users(5 * lease());
  }
  // A lease within which an operation ends although one of its replies is lost, and is renewed: at
  // least the `usual` one.
  [[nodiscard]] std::chrono::milliseconds lease_that_outlasts_a_loss(
      std::chrono::milliseconds usual) const {
    return std::max(usual, slowdown_ * pace_.outlasts_a_loss);
  }
  // Leases whose holder is notified before they end that the lock is removed, or that no server
  // answers; if it ever is.
  [[nodiscard]] std::chrono::milliseconds lease_told_of_removal() const {
    return at_most_users(std::max(medium_lease(), slowdown_ * pace_.told_of_removal));
  }
  [[nodiscard]] std::chrono::milliseconds lease_told_of_silence() const {
    return at_most_users(std::max(medium_lease(), slowdown_ * pace_.told_of_silence));
  }

  // How long a client waits that should get in within one short lease. A lock that asks again only
  // every so often gets time to ask twice after that, however long each try lasts.
  [[nodiscard]] std::chrono::milliseconds wait_limit() const {
    return std::max(8 * lease(), wait_limit(lease()));
  }
  // The same, within `lease`.
  [[nodiscard]] std::chrono::milliseconds wait_limit(std::chrono::milliseconds lease) const {
    return lease + std::max(lease / 2, 2 * (pace_.retry + pace_.longest_try));
  }
  // By when an acquire has to end that was to wait for `wait`, and whose servers are gone; none if
  // the lock promises no time.
  [[nodiscard]] std::optional<std::chrono::milliseconds> acquire_limit(
      std::chrono::milliseconds wait) const;

  // A client with this `set_reply_timeout` gives up on a reply after that time; 0: never, or not
  // known.
  [[nodiscard]] std::chrono::milliseconds gives_up_after() const {
    return pace_.gives_up_after.value_or(lease());
  }

  // How long to wait for half a dozen renewals of a short lease, or of one that outlasts a loss, or
  // two of a medium one.
  [[nodiscard]] std::chrono::milliseconds renewal_limit() const;
  // By then the holder of a medium lease that was renewed just now knows by its own clock that it
  // has expired, if it has not been notified before.
  [[nodiscard]] std::chrono::milliseconds loss_report_limit() const;

  // Throws Stalled if more than `time` has passed since then.
  static void must_be_within(std::chrono::milliseconds time,
                             std::chrono::steady_clock::time_point since);
  // The same, except in the slowest world: a run there is better than none.
  void should_be_within(std::chrono::milliseconds time,
                        std::chrono::steady_clock::time_point since) const;

 private:
  // `wanted`, or the longest lease that a user of the lock takes, if that is shorter. A slow
  // machine makes it no longer: what a short lease shows would not be seen any more.
  [[nodiscard]] std::chrono::milliseconds at_most_users(std::chrono::milliseconds wanted) const;

  int slowdown_;
  Pace pace_;
};

}  // namespace faults
