// Stage 8: stage 7, and every hold gets a fencing token: greater than that of every hold before it.
//
// Gained: a store that checks the token refuses a holder that has lost the lock and does not know.
// What is left: a store that cannot check tokens is not protected, by this lock or any other.
// https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/lock.h"
#include "stage5_watchdog/hold.h"
#include "stage5_watchdog/watchdog.h"
#include "stage6_reentrant/levels.h"
#include "stage7_redlock/quorum.h"
#include "stage7_redlock/quorum_hold.h"
#include "stage8_fencing/fenced_hold.h"
#include "stage8_fencing/fenced_tally.h"

namespace stage8 {

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
};

// Who holds a lock, for an operator.
struct Holder {
  std::string who;                          // host and process
  std::chrono::sys_seconds since;           // by a server's clock
  std::chrono::milliseconds lease_left{0};  // unless it is renewed
};

class Lock : public core::Lock {
 public:
  // `quorum` must outlive the lock. Locks with the same `key` exclude each other; those of one
  // process are one lock. Throws std::invalid_argument for a lease of 0 ms or less, and for one
  // that is too short to be renewed in time: less than twice the period, or a period of less than
  // 10 ms; and for a key that ends in ":fencing", the name of the counter beside the lock.
  Lock(stage7::Quorum& quorum, std::string key, Options options = {});

  // One command to each node, all at once; `acquired` as soon as a majority has said yes in good
  // time, and has the same fencing token. If it has not, a second command to each node raises it
  // there. If there is no majority one more goes to each, which gives back what the others may have
  // given. A thread that holds the lock enters it once more: the lease becomes the longest that any
  // of its levels asked for, counted anew. `unknown`: too few answers came to know; what may have
  // been given comes free after at most one lease. Throws Unreachable if there is no majority of
  // nodes to ask, and ErrorReply if it abstains.
  [[nodiscard]] core::Acquire try_acquire() override;

  // One command to each node, none if the calling thread holds nothing: only the thread that took
  // it can give it back. `still_held`: it was an inner level, `hold_count()` says how many are
  // left. After `unknown` it may be asked again; an acquire of this thread asks for it first. The
  // outermost ends the renewal, whatever the outcome.
  [[nodiscard]] core::Release release() override;

  // Of the calling thread's hold: what is left of the lease by its own clock, and the word that it
  // is lost. Nothing, and a token that never stops, without a hold.
  [[nodiscard]] std::optional<std::chrono::milliseconds> remaining() const override;
  [[nodiscard]] std::stop_token lost() const override;

  // Does the calling thread hold the lock, as far as it knows? Not if it has given it back and got
  // no answer; what else can be asked about the hold still speaks of it then. How deep?
  [[nodiscard]] bool held_by_this_thread() const;
  [[nodiscard]] int hold_count() const;

  // The token of the calling thread's hold, for the store to check: unique, and greater than that
  // of every hold that was over when this one began. It needs nodes that keep their counters when
  // they crash (`appendfsync always`), and never evict a key. Re-entry keeps it. Nothing without a
  // hold.
  [[nodiscard]] std::optional<std::uint64_t> fencing_token() const override;

  // A hold that is handed on: the lock is free when the last one who joined has left. One command
  // to each node. `join` throws std::invalid_argument for what no `hold_token` returned.
  [[nodiscard]] std::optional<std::string> hold_token() const override;
  [[nodiscard]] core::Acquire join(const std::string& hold_token) override;

  // After a random delay: those who split the votes between them would do it again if they came
  // back together.
  [[nodiscard]] core::Waiting usual_waiting() const override;

  // For operators. Nothing: nobody holds it, as far as the nodes that answer know.
  [[nodiscard]] std::optional<Holder> holder();
  // Removes the lock, whoever holds it: the holder is told at its next renewal. False: there was
  // none. Throws LostReply if too few nodes answered to say so.
  bool force_release();

 private:
  void leave_anyway() override;
  // Leaves an inner level: who repairs a node from now on gives it one less.
  void leave_a_level();

  // Enters the hold that `token` names, `depth` levels deep, at all nodes; a new one may `begin`.
  [[nodiscard]] FencedTally enter(stage7::Wires& wires, const std::string& token, int depth,
                                  std::string_view how, std::uint64_t fencing);
  // Sees to it that a majority stores the fencing token of `tally`, which becomes that of this
  // second round. Only at nodes where the hold still is and the count is not past it: see
  // raise.lua.
  void raise(stage7::Wires& wires, const std::string& token, FencedTally& tally);
  // The calling thread is inside from now on.
  [[nodiscard]] core::Acquire entered(std::shared_ptr<FencedHold> hold, int depth);
  // Leaves the hold at all nodes where `token` still names it, but for `depth` levels.
  [[nodiscard]] core::Release leave(stage7::Wires& wires, const std::string& token, int depth,
                                    std::uint64_t fencing);
  // The level that may have been entered somewhere is left again, as far as that is possible.
  // Waits for the nodes that were heard before; how many may still have it.
  [[nodiscard]] std::size_t take_back(stage7::Wires& wires, const std::string& token, int depth,
                                      std::uint64_t fencing, const stage7::Tally& tally);

  [[nodiscard]] std::shared_ptr<FencedHold> make_hold(const std::string& token,
                                                      std::uint64_t fencing,
                                                      std::chrono::milliseconds lease,
                                                      stage5::Clock::time_point asked,
                                                      std::shared_ptr<stage7::Wires> wires) const;

  stage7::Quorum& quorum_;
  const std::string key_;
  const std::string counter_;  // the key of the fencing counter: no lease, never deleted
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<const stage5::Renewal> renewal_;
  const std::shared_ptr<stage5::Watchdog> watchdog_ = stage5::Watchdog::of_this_process();
  const std::shared_ptr<stage6::Levels> levels_;
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage8
