// The places of those of this process who stand in a queue.
//
// A place is known here, under the token of the hold that it may become, *before* the server is
// asked: the lock can be handed over before the answer "you are in the queue" is here.
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/token.h"
#include "stage5_watchdog/hold.h"

namespace stage6 {

using stage5::Clock;

class Place {
 public:
  // To be made before the server is asked for the first time. `lease`: the hold's.
  explicit Place(std::chrono::milliseconds lease) : lease_(lease) {}

  // The hold's.
  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] std::chrono::milliseconds lease() const { return lease_; }

  // The lock was handed over: after `since`, and after this place was made.
  void hand_over(Clock::time_point since);
  // If so: since when its lease counts, at the earliest. Tells each time once.
  [[nodiscard]] std::optional<Clock::time_point> take_over();

  // How often there was a reason not to wait: the lock was handed over, or the lock may have been
  // handed past us. To be asked before the server is.
  [[nodiscard]] std::uint64_t called() const { return called_; }
  void call();

  // Waits until it was called more than `heard` times, was woken since it lay down, `until`, or
  // `stop`.
  void lie_down();
  void sleep(std::uint64_t heard, Clock::time_point until, const std::stop_token& stop);
  // False: it does not sleep, nor is it about to.
  bool wake_up();

 private:
  const std::string token_ = core::random_token();
  const std::chrono::milliseconds lease_;
  const Clock::time_point made_ = Clock::now();
  std::atomic<Clock::time_point> handed_over_ = Clock::time_point::min();
  std::atomic<std::uint64_t> called_ = 0;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool lies_ = false;  // guarded by mutex_
};

class Places {
 public:
  // A new one, known for as long as it exists.
  [[nodiscard]] std::shared_ptr<Place> take(std::chrono::milliseconds lease);
  // That of this token, or null.
  [[nodiscard]] std::shared_ptr<Place> find(std::string_view token);

  void call_all();
  // One that sleeps, if there is one.
  void wake_up_one();

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Place>> all();

  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Place>, std::less<>> places_;  // by token; guarded by mutex_
  std::size_t clean_at_ = 16;                                        // guarded by mutex_
};

}  // namespace stage6
