// A thread that waits in a line, and what its process has to tell it.
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/token.h"

namespace fair_queue {

using Clock = std::chrono::steady_clock;

// A waiter cannot know that a message was lost: of the waiters of a process in one line, one looks
// for itself so often.
inline constexpr std::chrono::milliseconds look_every{1'000};
// The time of the next look.
using LookTime = std::atomic<Clock::time_point>;

class Waiter {
 public:
  // `line_looks_at`: that of its line.
  explicit Waiter(std::shared_ptr<LookTime> line_looks_at)
      : line_looks_at_(std::move(line_looks_at)) {}

  // The name by which the server calls it.
  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] LookTime& line_looks_at() const { return *line_looks_at_; }

  // It has the turn; with it: another one waits after it.
  struct Turn {
    bool is_followed;
  };
  void give_turn(Turn turn);
  [[nodiscard]] bool has_turn() const;
  // Returns each turn once.
  [[nodiscard]] std::optional<Turn> take_turn();

  // It is to look for itself at that time: a message may have been missed.
  void look_at(Clock::time_point time);
  // That time, in the past at first. The news is known then.
  [[nodiscard]] Clock::time_point look_time();
  // It is looking now.
  void begin_to_look();

  // True if it has got the turn, or a time to look.
  [[nodiscard]] bool has_news() const;
  // Waits until it has news, was woken since `prepare_to_wait`, `until`, or `stop`.
  void prepare_to_wait();
  void wait(Clock::time_point until, const std::stop_token& stop);
  // False: it does not wait, nor is it about to; or it has news, and does not wait for longer.
  bool wake();

 private:
  const std::shared_ptr<LookTime> line_looks_at_;
  const std::string token_ = core::random_token();
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  bool waits_ = false;  // these are guarded by mutex_
  bool has_news_ = false;
  std::optional<Turn> turn_;
  Clock::time_point look_at_ = Clock::time_point::min();
};

}  // namespace fair_queue
