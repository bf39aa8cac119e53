// The queue before one lock, on one server: first come, first served.
//
// Who releases takes the first off the queue, makes it the owner, and tells only that one; all of
// it inside the script, so the lock is never free while somebody waits for it, and nobody
// overtakes. Who hands the lock on notices a waiter that was killed and takes the next. One that is
// frozen or cut off it cannot notice: that one's lease runs out, and whoever asks next, a newcomer
// or a waiter whose clock says so, hands the lock on to the first in line. So a death costs at most
// one lease.
//
// The queue is a list, KEY:queue; of who waits it keeps what it takes to make him the owner. It is
// on this server only, and replicated no better than the lock: after a fail-over, and after a
// connection that was gone for a while, waiters stand in line again, at its end. In a cluster KEY
// must have a hash tag, so that both are in one place:
// https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/server.h"
#include "stage5_watchdog/hold.h"
#include "stage6_reentrant/inbox.h"
#include "stage6_reentrant/waiting.h"

namespace stage6 {

class Queue {
 public:
  // `server` must outlive it. `lease`: of whom the lock is handed to.
  Queue(core::Server& server, std::string key, std::chrono::milliseconds lease, Queued how);

  // A place of the calling thread's, not in the queue yet.
  [[nodiscard]] std::shared_ptr<Place> take_place() { return inbox_->places().take(lease_); }

  // Asks for the lock, once. Who is refused and can be told is in the queue then, if he `waits`: at
  // its end, or where he stood. Returns what acquire.lua returns. Throws what `core::Server`
  // throws.
  enum class Then { goes, waits };
  [[nodiscard]] long long enter(const std::string& token, Then then);

  // Leaves the hold for good, which hands the lock on. What release.lua returns.
  [[nodiscard]] long long leave(const std::string& token);
  // Leaves the queue; if the lock was handed over in this very moment, hands it on.
  void give_up(const std::string& token);
  // Takes the lock from whoever holds it, and hands it on. False: there was none.
  bool remove();

  // Waits until `place` was called more than `heard` times (the lock was handed to it, or there is
  // a reason to ask again), `time` is over, or `stop` is requested.
  void wait(Place& place, std::uint64_t heard, std::chrono::microseconds time,
            const std::stop_token& stop) {
    inbox_->wait(place, heard, time, stop);
  }

  // The command by which what was handed to nobody is passed on.
  [[nodiscard]] static std::vector<std::string> passing_on(std::string_view key,
                                                           std::string_view token,
                                                           std::string_view participant);

 private:
  [[nodiscard]] long long run(std::string_view what, std::string_view token);

  core::Server& server_;
  const std::string key_;
  const std::string queue_;
  const std::string lease_text_;
  const std::chrono::milliseconds lease_;
  const std::string_view stands_;
  const std::shared_ptr<Inbox> inbox_;
};

// A hold that was a place. The place is known for as long as the hold, so that late word of what it
// has got is not taken for word to nobody.
class QueuedHold final : public stage5::Hold {
 public:
  QueuedHold(std::shared_ptr<Place> place, std::chrono::milliseconds lease,
             stage5::Clock::time_point since, std::shared_ptr<const stage5::Renewal> renewal);

 private:
  const std::shared_ptr<Place> place_;
};

}  // namespace stage6
