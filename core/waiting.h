// A waiting policy: how to wait for a lock that another client holds.
//
//   Waiting::none()                                   one try
//   Waiting::fixed(10ms).tries(5)                     five tries, 10 ms apart
//   Waiting::exponential(5ms, 500ms).jitter(0.5).at_most(3s)
//
// Bounded by time, by tries, by both (the first to end wins), or, for `lock()`, by neither.
// Thread-safety: a value; each function returns a changed copy.
#pragma once

#include <chrono>
#include <optional>
#include <random>
#include <stop_token>

namespace core {

class Waiting {
 public:
  using Duration = std::chrono::microseconds;

  // One try, no waiting.
  [[nodiscard]] static Waiting none();

  // The same pause before every further try. Throws std::invalid_argument unless `pause` > 0.
  [[nodiscard]] static Waiting fixed(Duration pause);

  // `first`, then twice as long each time, never more than `ceiling`.
  // Throws std::invalid_argument unless 0 < first <= ceiling.
  [[nodiscard]] static Waiting exponential(Duration first, Duration ceiling);

  // Shortens each pause at random by up to `share` of it, so that waiters that were refused
  // together do not try again together. Throws std::invalid_argument outside [0, 1].
  [[nodiscard]] Waiting jitter(double share) const;

  // Allows no new try once `time` has passed since the first; the last pause is cut short to end
  // then, and one last try follows. Throws std::invalid_argument for a negative time.
  [[nodiscard]] Waiting at_most(Duration time) const;

  // At most `count` tries in all, the first included. Throws std::invalid_argument below 1.
  [[nodiscard]] Waiting tries(int count) const;

  // False if this policy allows one try only.
  [[nodiscard]] bool waits() const;

  // The pause before try `number` (the first is 1 and has none), jitter not applied.
  [[nodiscard]] Duration pause_before(int number) const;

  [[nodiscard]] double jitter_share() const { return jitter_; }
  [[nodiscard]] std::optional<Duration> time_limit() const { return at_most_; }
  [[nodiscard]] std::optional<int> try_limit() const { return tries_; }

 private:
  Duration first_{0};
  Duration ceiling_{0};
  double jitter_ = 0;
  std::optional<Duration> at_most_;
  std::optional<int> tries_;
};

// The pauses of one wait. Thread-safety: none; one thread, one wait.
class Pauses {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Pauses(Waiting waiting, Clock::time_point start = Clock::now());

  // The pause before the next try, or nothing if no further try is allowed.
  [[nodiscard]] std::optional<Waiting::Duration> next(Clock::time_point now = Clock::now());

 private:
  Waiting waiting_;
  Clock::time_point start_;
  int tries_made_ = 1;
  std::optional<std::minstd_rand> random_;  // of a wait that pauses: a seed takes microseconds
};

// Sleeps for `pause`, or until `stop` is requested. False once it is requested.
bool pause_for(Waiting::Duration pause, const std::stop_token& stop);

}  // namespace core
