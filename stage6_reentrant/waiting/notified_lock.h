// A re-entrant lock whose waiters are notified of a release, and do not ask in the meantime.
//
// A waiter that was refused sleeps until a release is announced, or until the holder's lease has
// expired: a dead holder announces nothing.
//
// Thread-safety: safe to share, like every lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "core/per_thread.h"
#include "stage6_reentrant/reentrant_lock.h"
#include "stage6_reentrant/waiting/releases.h"

namespace stage6 {

class NotifiedLock : public ReentrantLock {
 public:
  // One long pause: a release ends it, or the end of the holder's lease.
  [[nodiscard]] core::Waiting usual_waiting() const override {
    return core::Waiting::fixed(std::chrono::hours(1));
  }

 protected:
  // `server` and `key` as for ReentrantLock. `releases`: those of this lock.
  NotifiedLock(const std::string& server, const std::string& key,
               std::shared_ptr<Releases> releases)
      : ReentrantLock(server, key), releases_(std::move(releases)) {}

  // The channel on which a release of this lock is announced.
  [[nodiscard]] const std::string& channel() const { return releases_->channel(); }

  // The server has refused the calling thread: another client's hold lasts for `busy_for` more.
  [[nodiscard]] core::Acquire refused(std::chrono::microseconds busy_for);

  [[nodiscard]] core::Acquire try_or_enqueue() override;
  [[nodiscard]] bool pause(core::Waiting::Duration time, const std::stop_token& stop) override;

 private:
  struct Wait {
    std::uint64_t generation = 0;           // before the thread asked
    std::chrono::microseconds busy_for{0};  // after it asked
  };

  const std::shared_ptr<Releases> releases_;
  core::PerThread<Wait> wait_;  // since the calling thread was refused
};

}  // namespace stage6
