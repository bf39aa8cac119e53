// Stage 7: stage 6 on a majority of several independent servers (Redlock).
//
// Gained: the lock survives the loss of a minority of its servers, which have no replicas.
// Missing: a holder that is frozen past its lease, or servers whose clocks jump, and its late write
// goes through. https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/
#pragma once

#include <chrono>
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
#include "stage7_redlock/votes.h"

namespace stage7 {

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
  // 10 ms.
  Lock(Quorum& quorum, std::string key, Options options = {});

  // One command to each node, all at once; `acquired` as soon as a majority has said yes in good
  // time. Else one more to each, which gives back what the others may have given. A thread that
  // holds the lock enters it once more: the lease becomes the longest that any of its levels asked
  // for, counted anew. `unknown`: too few answers came to know; what may have been given comes free
  // after at most one lease. Throws Unreachable if there is no majority of nodes to ask, and
  // ErrorReply if it abstains.
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

  // A hold that is handed on: the lock is free when the last one who joined has left. One command
  // to each node.
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
  [[nodiscard]] Tally enter(Wires& wires, const std::string& token, int depth,
                            std::string_view how);
  // The calling thread is inside from now on.
  [[nodiscard]] core::Acquire entered(std::shared_ptr<QuorumHold> hold, int depth);
  // Leaves the hold at all nodes where `token` still names it, but for `depth` levels.
  [[nodiscard]] core::Release leave(Wires& wires, const std::string& token, int depth);
  // The level that may have been entered somewhere is left again, as far as that is possible.
  // Waits for the nodes that were heard before; how many may still have it.
  [[nodiscard]] std::size_t take_back(Wires& wires, const std::string& token, int depth,
                                      const Tally& tally);

  [[nodiscard]] std::shared_ptr<QuorumHold> make_hold(const std::string& token,
                                                      std::chrono::milliseconds lease,
                                                      stage5::Clock::time_point asked,
                                                      std::shared_ptr<Wires> wires) const;

  Quorum& quorum_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<const stage5::Renewal> renewal_;
  const std::shared_ptr<stage5::Watchdog> watchdog_ = stage5::Watchdog::of_this_process();
  const std::shared_ptr<stage6::Levels> levels_;
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage7
