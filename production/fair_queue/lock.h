// A fair lock: first come, first served. It is a choice beside stage 6, not a step after it.
//
// Gained: nobody overtakes, and the unluckiest waiter waits hardly longer than the others. The
// price: the lock goes from hand to hand, so each hand-over costs a message, and a waiter that is
// frozen costs one lease. All who share a key must use this lock: a release of stage 6 hands
// nothing on.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/lock.h"
#include "core/per_thread.h"
#include "core/redis/server.h"
#include "production/fair_queue/queue.h"
#include "stage6_reentrant/holder.h"
#include "stage6_reentrant/reentrant_lock.h"

namespace fair_queue {

using stage6::Clock;
using stage6::Entry;
using stage6::Hold;
using stage6::Holder;
using stage6::Options;
using stage6::ReentrantLock;
using stage6::Renewal;

// An acquire is one command and its release another, however long it waits in between, as long as
// no lease runs out meanwhile; giving up is one more.
class Lock : public ReentrantLock {
 public:
  // `server` must outlive the lock. Locks with the same `key` exclude each other. `position`: where
  // its threads join the queue. Throws std::invalid_argument for a lease of 0 ms or less, and for
  // one that is too short to be renewed in time: less than twice the period, or a period of less
  // than 10 ms.
  Lock(core::Server& server, std::string key, Options options = {},
       Position position = Position::last);

  // For operators. Nothing: nobody holds it. They throw what `core::Server` throws.
  [[nodiscard]] std::optional<Holder> holder();
  // Takes the lock from its holder, who is told at the next renewal, and hands it on. False: there
  // was none.
  bool force_release();

  // One long pause: a waiter is told that it has the lock, or the lease of another hold ends it.
  [[nodiscard]] core::Waiting usual_waiting() const override {
    return core::Waiting::fixed(std::chrono::hours(1));
  }

 private:
  struct Wait {
    std::shared_ptr<Waiter> waiter;
    std::uint64_t generation = 0;             // of the waiter, before the last try
    std::chrono::milliseconds lease_left{0};  // the holder's, at the last try
  };

  [[nodiscard]] core::Acquire enter(const Entry& entry) override;
  [[nodiscard]] core::Release leave(const Entry& entry) override;

  // Takes the lock if it was handed to this thread, or else asks for it, or for a place in the
  // queue.
  [[nodiscard]] core::Acquire try_or_enqueue() override;
  [[nodiscard]] core::Acquire ask_or_enqueue(Wait wait);
  // A queued waiter has acquired the lock.
  [[nodiscard]] core::Acquire record_waiter(const std::shared_ptr<Waiter>& waiter,
                                            std::chrono::milliseconds lease,
                                            Clock::time_point asked);
  [[nodiscard]] bool pause(core::Waiting::Duration time, const std::stop_token& stop) override;
  void cancel_wait() noexcept override;

  core::Server& server_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<const Renewal> renewal_;
  Queue queue_;
  core::PerThread<Wait> wait_;  // the calling thread's, while it waits in the queue
};

static_assert(core::TimedLockable<Lock>);

}  // namespace fair_queue
