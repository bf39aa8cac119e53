// Stage 6: stage 5, and a thread may enter the lock that it holds. (Beside that: a waiter is
// notified of a release, waiting/notified_lock.h.)
//
// Gained: re-entrancy, a hold that can be handed on, waiting without polling. Missing: one server;
// if it is lost, or a replica takes over that does not have the lock, two hold it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/lock.h"
#include "core/redis/server.h"
#include "stage5_watchdog/renewal.h"
#include "stage6_reentrant/holder.h"
#include "stage6_reentrant/waiting/notified_lock.h"

namespace stage6 {

class Lock : public NotifiedLock {
 public:
  // `server` must outlive the lock. Locks with the same `key` exclude each other. Throws
  // std::invalid_argument for a lease of 0 ms or less, and for one that is too short to be renewed
  // in time: less than twice the period, or a period of less than 10 ms.
  Lock(core::Server& server, std::string key, Options options = {});

  // For operators. Nothing: nobody holds it. They throw what `core::Server` throws.
  [[nodiscard]] std::optional<Holder> holder();
  // Removes the lock, whoever holds it: the holder is told at its next renewal. False: there was
  // none.
  bool force_release();

 private:
  // One command each; `enter` sends a second one if the reply to the first was lost.
  [[nodiscard]] core::Acquire enter(const Entry& entry) override;
  [[nodiscard]] core::Release leave(const Entry& entry) override;

  core::Server& server_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<const Renewal> renewal_;
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage6
