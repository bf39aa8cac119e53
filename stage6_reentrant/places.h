// The places of those of this process who stand in a queue.
//
// A place is known here, under the token of the hold that it may become, *before* the server is
// asked: the lock can be handed over before the answer "you are in the queue" is here. What is
// handed to a place that nobody has (any more) is passed on.
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/token.h"
#include "stage6_reentrant/bell.h"
#include "stage6_reentrant/ear.h"

namespace stage6 {

class Place {
 public:
  using Clock = Ear::Clock;

  // To be made before the server is asked for the first time.
  explicit Place(std::chrono::milliseconds lease) : lease_(lease) {}

  // The hold's, once the lock is handed over.
  [[nodiscard]] const std::string& token() const { return token_; }

  // Rings when the lock is handed over, and when a new subscription stands: until then the lock was
  // handed past us.
  [[nodiscard]] Ring& bell() { return bell_; }

  // The lock was handed over: after `since`, and after this place was made.
  void hand_over(Clock::time_point since);
  // If so: since when its lease counts, at the earliest. Tells each time once.
  [[nodiscard]] std::optional<Clock::time_point> take_over();

  // Its waiter is in. The place stays known for as long as it holds: word of it may come late.
  void is_in() { waits_ = false; }
  [[nodiscard]] bool waits() const { return waits_; }

  // How often a waiter wants to know since when: so much of its lease may be lost to it.
  [[nodiscard]] Clock::duration period() const;

 private:
  const std::string token_ = core::random_token();
  const std::chrono::milliseconds lease_;
  const Clock::time_point made_ = Clock::now();
  std::atomic<Clock::time_point> handed_over_ = Clock::time_point::min();
  std::atomic<bool> waits_ = true;
  Ring bell_;
};

class Places : public Ear {
 public:
  // A new one, known for as long as it exists.
  [[nodiscard]] std::shared_ptr<Place> take(std::chrono::milliseconds lease);

  // Does the server tell us, as far as we know?
  [[nodiscard]] bool are_told() const { return told_; }

  // `place` begins to wait. True: the next heartbeat is due sooner than it was.
  [[nodiscard]] bool begin_to_wait(const Place& place);

  void subscribed() override;
  void cut_off() override { told_ = false; }
  // `message`: token, participant and key, with spaces between them, as in queue.lua.
  Words told(std::string_view message, Clock::time_point since) override;
  [[nodiscard]] Clock::time_point next_beat() override { return next_beat_; }
  void beat(Clock::time_point now) override;

 private:
  [[nodiscard]] std::shared_ptr<Place> find(std::string_view token);

  std::atomic<bool> told_ = false;
  std::atomic<Clock::time_point> next_beat_ = Clock::time_point::max();
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Place>, std::less<>> places_;  // by token; guarded by mutex_
  std::size_t clean_at_ = 16;                                        // guarded by mutex_
};

}  // namespace stage6
