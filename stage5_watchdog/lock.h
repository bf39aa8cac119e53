// Stage 5: stage 4, and a watchdog that renews the lease for as long as the work takes.
//
// Gained: a lease that follows the work, and word of a lost lock. Missing: the same thread that
// locks twice waits for itself; a waiter asks again and again.
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
  // Set: the lock is held for at most this long, and not renewed.
  std::optional<std::chrono::milliseconds> lease = {};
  // Otherwise it has this lease, renewed every third of it,
  std::chrono::milliseconds default_lease{30'000};
  // or this often,
  std::optional<std::chrono::milliseconds> renew_every = {};
  // and no more once it has been held for this long: for work that may hang. It ends at most one
  // lease later.
  std::optional<std::chrono::milliseconds> max_hold = {};
};

class Lock : public core::Lock {
 public:
  // `server` must outlive the lock. Locks with the same `key` exclude each other. Throws
  // std::invalid_argument for a lease of 0 ms or less, and for one that is too short to be renewed
  // in time: less than twice the period, or a period of less than 10 ms.
  Lock(core::Server& server, std::string key, Options options = {});
  // What is still held is no longer renewed: it comes free with its lease.
  ~Lock() override;

  // One command. Before it returns `unknown` it tries once to take back what it may hold; if that
  // fails too, the lock comes free after at most one lease. A yes that comes after the lease it
  // speaks of is taken back too, and `unknown`.
  [[nodiscard]] core::Acquire try_acquire() override;

  // One command, none if the calling thread holds nothing.
  // After `unknown` it may be asked again. Ends the renewal, whatever the outcome; a hold that may
  // not have ended is told lost when its lease does.
  [[nodiscard]] core::Release release() override;

  // Of the calling thread's hold: what is left of the lease by its own clock, and the word that it
  // is lost. Nothing, and a token that never stops, without a hold.
  [[nodiscard]] std::optional<std::chrono::milliseconds> remaining() const override;
  [[nodiscard]] std::stop_token lost() const override;

 private:
  // Removes the lock if `token` still names its hold.
  [[nodiscard]] core::Release remove(const std::string& token);
  // After a lost reply: what may have been set under `token` is removed again, if that is possible.
  void take_back(const std::string& token) noexcept;

  core::Server& server_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<const Renewal> renewal_;
  const std::shared_ptr<Watchdog> watchdog_ = Watchdog::of_this_process();
  core::PerThread<std::shared_ptr<Hold>> hold_;  // the calling thread's
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage5
