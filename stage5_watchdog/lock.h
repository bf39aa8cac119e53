// Stage 5: stage 4, and a watchdog that renews the lease for as long as the work takes.
//
// Gained: a lease that follows the work, and a notice when the lock is lost. Missing: a thread that
// locks twice waits for itself; a waiter asks again and again.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/lock.h"
#include "core/per_thread.h"
#include "core/redis/server.h"
#include "stage5_watchdog/hold.h"
#include "stage5_watchdog/renewal.h"
#include "stage5_watchdog/watchdog.h"

namespace stage5 {

class Lock : public core::Lock {
 public:
  // `server` must outlive the lock. Locks with the same `key` exclude each other. Throws
  // std::invalid_argument for a lease of 0 ms or less, and for one that is too short to be renewed
  // in time: less than twice the period, or a period of less than 10 ms.
  Lock(core::Server& server, std::string key, Options options = {});
  // Holds that are left are no longer renewed: they come free with their lease.
  ~Lock() override;

  // One command. Before it returns `unknown` it tries once to roll back what it may hold; if that
  // fails too, the lock comes free after at most one lease. A yes that comes after its lease has
  // run out is rolled back too, and `unknown`.
  [[nodiscard]] core::Acquire try_acquire() override;

  // One command, none if the calling thread holds nothing. After `unknown` it may be asked again.
  // Ends the renewal, whatever the outcome; a hold that may not have ended is lost when its lease
  // runs out.
  [[nodiscard]] core::Release release() override;

  // The calling thread's hold: the rest of its lease by our own clock, and a token that stops when
  // the hold is lost. Nothing, and a token that never stops, without a hold.
  [[nodiscard]] std::optional<std::chrono::milliseconds> remaining() const override;
  [[nodiscard]] std::stop_token lost() const override;

 private:
  // Removes the lock, if `token` still names its hold.
  [[nodiscard]] core::Release leave(const std::string& token);
  // After a lost reply: removes what may have been set under `token`, if that is possible.
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
