// The queue before one lock, on one server: first come, first served.
//
// A release takes the first waiter off the queue, makes it the owner, and notifies only that one;
// all of it inside the script, so the lock is never free while somebody waits for it, and nobody
// overtakes. The hand-over notices a waiter that was killed, and takes the next. It cannot notice a
// waiter that is frozen or cut off: that one's lease runs out, and the next command, of a newcomer
// or of a waiter whose clock says so, hands the lock on to the first in the queue. So a death costs
// at most one lease.
//
// The queue is a list, KEY:queue; an element is all it takes to make that waiter the owner. It is
// on this server only, and replicated no better than the lock: after a fail-over, and after a
// connection that was gone for a while, waiters join the queue again, at its end. In a cluster KEY
// must have a hash tag, so that both keys are in one place:
// https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/server.h"
#include "production/fair_queue/handoff_subscription.h"
#include "stage5_watchdog/hold.h"

namespace fair_queue {

// The place at which a waiter joins the queue. `first` overtakes all others, and takes a free lock
// although others wait: for work that must not wait its turn.
enum class Position { last, first };

class Queue {
 public:
  // `server` must outlive it. `lease`: of those who are handed the lock.
  Queue(core::Server& server, std::string key, std::chrono::milliseconds lease, Position position);

  // A waiter for the calling thread, not in the queue yet.
  [[nodiscard]] std::shared_ptr<Waiter> make_waiter() {
    return subscription_->waiters().add(lease_);
  }

  // Asks for the lock; a second time if the reply was lost. A thread that is refused and would wait
  // is in the queue then, if it can be notified: at its end, or where it was. Returns the lease
  // (above 0): entered; -n: the lock is held for n ms more. Throws what `core::Server` throws.
  enum class IfRefused { leave, wait };
  [[nodiscard]] long long enter(const std::string& token, IfRefused then);

  // Leaves the hold for good, which hands the lock on. Returns what stage 6's release.lua returns.
  [[nodiscard]] long long leave(const std::string& token);
  // Leaves the queue; if the lock was handed over at this very moment, hands it on.
  void give_up(const std::string& token);
  // Takes the lock from its holder, and hands it on. False: there was none.
  bool remove();

  // Waits until `waiter` was notified more than `generation` times (the lock was handed to it, or
  // there is a reason to ask again), `time` is over, or `stop` is requested.
  void wait(Waiter& waiter, std::uint64_t generation, std::chrono::microseconds time,
            const std::stop_token& stop) {
    subscription_->wait(waiter, generation, time, stop);
  }

  // The command that passes on a hold which was handed to nobody.
  [[nodiscard]] static std::vector<std::string> pass_on_command(std::string_view key,
                                                                std::string_view token,
                                                                std::string_view participant);

 private:
  [[nodiscard]] long long run(std::string_view what, std::string_view token);

  core::Server& server_;
  const std::string key_;
  const std::string queue_;
  const std::string lease_text_;
  const std::chrono::milliseconds lease_;
  const std::string_view position_;
  const std::shared_ptr<HandoffSubscription> subscription_;
};

// A hold that a waiter got. The waiter is known for as long as the hold, so that a late message
// about its hand-over is not taken for one to nobody.
class QueuedHold final : public stage5::Hold {
 public:
  QueuedHold(std::shared_ptr<Waiter> waiter, std::chrono::milliseconds lease,
             stage5::Clock::time_point since, std::shared_ptr<const stage5::Renewal> renewal);

 private:
  const std::shared_ptr<Waiter> waiter_;
};

}  // namespace fair_queue
