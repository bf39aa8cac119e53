// Stage 6: stage 5, and a thread that holds the lock may take it again; a waiter is told of a
// release, or stands in a queue.
//
// Gained: re-entrancy, a hold that can be handed on, waiting without asking again and again.
// Missing: one server; if it is lost, or a replica takes over that has not heard of the lock, two
// hold it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/lock.h"
#include "core/per_thread.h"
#include "core/server.h"
#include "stage5_watchdog/hold.h"
#include "stage5_watchdog/watchdog.h"
#include "stage6_reentrant/levels.h"
#include "stage6_reentrant/queue.h"
#include "stage6_reentrant/waiting.h"

namespace stage6 {

struct Options {
  // Set: the lock is held for at most this long, and not renewed. (Where a thread enters several
  // times, what the outermost level asked for decides whether the hold is renewed.)
  std::optional<std::chrono::milliseconds> lease = {};
  // Otherwise it has this lease, renewed every third of it,
  std::chrono::milliseconds default_lease{30'000};
  // or this often,
  std::optional<std::chrono::milliseconds> renew_every = {};
  // and no more once it has been held for this long: for work that may hang. It ends at most one
  // lease later.
  std::optional<std::chrono::milliseconds> max_hold = {};
  // How it waits for somebody else's release.
  WayToWait waiting = Notified{};
};

// Who holds a lock, for an operator.
struct Holder {
  std::string who;                          // host and process
  std::chrono::sys_seconds since;           // by the server's clock
  std::chrono::milliseconds lease_left{0};  // unless it is renewed
};

class Lock : public core::Lock {
 public:
  // `server` must outlive the lock. Locks with the same `key` exclude each other; those of one
  // process are one lock. Throws std::invalid_argument for a lease of 0 ms or less, and for one
  // that is too short to be renewed in time: less than twice the period, or a period of less than
  // 10 ms.
  Lock(core::Server& server, std::string key, Options options = {});

  // One command; a second one if the reply to the first was lost, or if the hold of this thread
  // turns out to be over. A thread that holds the lock enters it once more: the lease becomes the
  // longest that any of its levels asked for, counted anew. Before it returns `unknown` it tries
  // once to take back what it may hold; if that fails too, the lock comes free after at most one
  // lease.
  [[nodiscard]] core::Acquire try_acquire() override;

  // One command, none if the calling thread holds nothing: only the thread that took it can give it
  // back. `still_held`: it was an inner level, `hold_count()` says how many are left. After
  // `unknown` it may be asked again; an acquire of this thread asks for it first. The outermost
  // ends the renewal, whatever the outcome.
  [[nodiscard]] core::Release release() override;

  // Of the calling thread's hold: what is left of the lease by its own clock, and the word that it
  // is lost. Nothing, and a token that never stops, without a hold.
  [[nodiscard]] std::optional<std::chrono::milliseconds> remaining() const override;
  [[nodiscard]] std::stop_token lost() const override;

  // Does the calling thread hold the lock, as far as it knows? Not if it has given it back and got
  // no answer; what else can be asked about the hold still speaks of it then. How deep?
  [[nodiscard]] bool held_by_this_thread() const;
  [[nodiscard]] int hold_count() const;

  // A hold that is handed on: the lock is free when the last one who joined has left. One command.
  [[nodiscard]] std::optional<std::string> hold_token() const override;
  [[nodiscard]] core::Acquire join(const std::string& hold_token) override;

  // Waits as `Options::waiting` says. With a queue an acquire is one command and its release
  // another, however long it waits in between, as long as no lease runs out meanwhile; giving up is
  // one more.
  [[nodiscard]] core::Waiting usual_waiting() const override;

  // For operators. Nothing: nobody holds it. They throw what `core::Server` throws.
  [[nodiscard]] std::optional<Holder> holder();
  // Removes the lock, whoever holds it: the holder is told at its next renewal. False: there was
  // none.
  bool force_release();

 private:
  // One who waits in a queue: takes what was handed to him, or else asks for it, or for his place.
  [[nodiscard]] core::Acquire try_in_line() override;
  // Waits for word of a release, at most until the lease of who holds it is over.
  [[nodiscard]] bool pause(core::Waiting::Duration time, const std::stop_token& stop) override;
  void leave_anyway() override;
  void leave_line() noexcept override;

  // Who waited in the queue holds the lock, and waits no more.
  [[nodiscard]] core::Acquire came_in(std::shared_ptr<stage5::Hold> hold);

  // Enters the hold that `token` names, `depth` levels deep; a new one may `begin`. What
  // acquire.lua returns.
  [[nodiscard]] long long enter(const std::string& token, int depth, std::string_view how);
  // The calling thread is inside from now on.
  [[nodiscard]] core::Acquire entered(std::shared_ptr<stage5::Hold> hold, int depth);
  // Leaves the hold, if `token` still names it, but for `depth` levels.
  [[nodiscard]] core::Release leave(const std::string& token, int depth);
  // After a lost reply: the level that may have been entered is left again, if that is possible.
  void take_back(const std::string& token, int depth) noexcept;

  // What the last try of a thread that was refused has learned.
  struct Refusal {
    std::uint64_t heard = 0;                  // how often the bell had rung before it
    std::chrono::milliseconds lease_left{0};  // of who holds the lock
  };

  core::Server& server_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<const stage5::Renewal> renewal_;
  const std::shared_ptr<stage5::Watchdog> watchdog_ = stage5::Watchdog::of_this_process();
  const std::shared_ptr<Levels> levels_;
  core::PerThread<Refusal> refusal_;  // the calling thread's
  const WayToWait waiting_;
  const std::unique_ptr<Queue> queue_;             // if that is how it waits
  core::PerThread<std::shared_ptr<Place>> place_;  // the calling thread's, while it waits in it
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage6
