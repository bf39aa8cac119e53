// The threads of this process that wait in a queue.
//
// A waiter is known here, under the token of the hold that it may get, *before* the server is
// asked: the lock can be handed over before the answer "you are in the queue" is here.
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/token.h"
#include "stage5_watchdog/hold.h"

namespace fair_queue {

using stage5::Clock;

class Waiter {
 public:
  // To be made before the server is asked for the first time. `lease`: the hold's.
  explicit Waiter(std::chrono::milliseconds lease) : lease_(lease) {}

  // The hold's.
  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] std::chrono::milliseconds lease() const { return lease_; }

  // The lock was handed over: after `since`, and after this waiter was made.
  void hand_over(Clock::time_point since);
  // If so: since when its lease counts, at the earliest. Returns each hand-over once.
  [[nodiscard]] std::optional<Clock::time_point> take_over();

  // How often there was a reason not to wait: the lock was handed over, or may have been handed
  // past this waiter. Read it before the server is asked.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  void notify();

  // Waits until it was notified more than `generation` times, was woken since `prepare_to_wait`,
  // `until`, or `stop`.
  void prepare_to_wait();
  void wait(std::uint64_t generation, Clock::time_point until, const std::stop_token& stop);
  // False: it does not wait, nor is it about to.
  bool wake();

 private:
  const std::string token_ = core::random_token();
  const std::chrono::milliseconds lease_;
  const Clock::time_point made_ = Clock::now();
  std::atomic<Clock::time_point> handed_over_ = Clock::time_point::min();
  std::atomic<std::uint64_t> generation_ = 0;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool waits_ = false;  // guarded by mutex_
};

class WaiterRegistry {
 public:
  // A new waiter, known for as long as it exists.
  [[nodiscard]] std::shared_ptr<Waiter> add(std::chrono::milliseconds lease);
  // The waiter with this token, or null.
  [[nodiscard]] std::shared_ptr<Waiter> find(std::string_view token);

  void notify_all();
  // Wakes one that waits, if there is one.
  void wake_one();

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Waiter>> all();

  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Waiter>, std::less<>>
      waiters_;                // by token; guarded by mutex_
  std::size_t clean_at_ = 16;  // guarded by mutex_
};

}  // namespace fair_queue
