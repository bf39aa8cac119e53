// Stage 5: stage 4, plus a watchdog that renews the lease while the work lasts.
//
// Gained: a lease that follows the work, and a holder that is told of the loss. Missing: a thread
// that locks twice waits for itself; a waiter polls.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/lock.h"
#include "core/per_thread.h"
#include "core/server.h"
#include "stage5_watchdog/hold.h"
#include "stage5_watchdog/watchdog.h"

namespace stage5 {

struct Options {
  // If set, the lock is held for at most this long, and not renewed.
  std::optional<std::chrono::milliseconds> lease = {};
  // Otherwise it has this lease, renewed after every third of it,
  std::chrono::milliseconds default_lease{30'000};
  // or this often,
  std::optional<std::chrono::milliseconds> renew_every = {};
  // and not renewed after this time, for work that may hang; it ends at most one lease later.
  std::optional<std::chrono::milliseconds> max_hold = {};
};

class Lock : public core::Lock {
 public:
  // `server` must outlive the lock. Locks with the same `key` exclude each other. Throws
  // std::invalid_argument for a lease of 0 ms or less, and for one that is too short to be renewed
  // in time: less than twice the period, or a period of less than 10 ms.
  Lock(core::Server& server, std::string key, Options options = {});
  // Stops renewing its holds, which come free when their leases end.
  ~Lock() override;

  // One command. Before it returns `unknown` it tries once to remove what it may have set; if that
  // fails too, the lock comes free after at most one lease. If the answer comes after the lease
  // has ended, it removes the lock, too, and returns `unknown`.
  [[nodiscard]] core::Acquire try_acquire() override;

  // One command, none if the calling thread holds nothing.
  // After `unknown` it may be called again. Ends the renewal, whatever the outcome; if the hold may
  // go on, `lost()` fires when its lease ends.
  [[nodiscard]] core::Release release() override;

  // The time left of the calling thread's lease, and the stop token that fires when its hold is
  // lost. Without a hold: nothing, and a token that never fires.
  [[nodiscard]] std::optional<std::chrono::milliseconds> remaining() const override;
  [[nodiscard]] std::stop_token lost() const override;

 private:
  // Removes the lock if it still belongs to the hold of `token`.
  [[nodiscard]] core::Release remove(const std::string& token);
  // After a lost reply: removes what may have been set under `token`, if the server can be reached.
  void roll_back(const std::string& token) noexcept;

  core::Server& server_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<const Renewal> renewal_;
  const std::shared_ptr<Watchdog> watchdog_ = Watchdog::of_this_process();
  core::PerThread<std::shared_ptr<Hold>> hold_;  // the calling thread's
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage5
