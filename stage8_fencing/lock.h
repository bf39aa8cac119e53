// Stage 8: stage 7, and every hold gets a fencing token: greater than that of every hold before it.
//
// Gained: a store that checks the token refuses a holder that has lost the lock and does not know.
// Missing: a store that cannot check tokens is not protected, by this lock or any other.
// https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/lock.h"
#include "stage8_fencing/fenced_hold.h"
#include "stage8_fencing/fenced_tally.h"
#include "stage8_fencing/names.h"

namespace stage8 {

class Lock : public NotifiedLock {
 public:
  // `quorum` must outlive the lock. Locks with the same `key` exclude each other. Throws
  // std::invalid_argument for a lease of 0 ms or less, and for one that is too short to be renewed
  // in time: less than twice the period, or a period of less than 10 ms; and for a key that ends in
  // ":fencing", the name of the counter beside the lock.
  Lock(Quorum& quorum, std::string key, Options options = {});

  // The token of the calling thread's hold, for the store to check: unique, and greater than that
  // of every hold that was over when this one began. It needs nodes that keep their counters when
  // they crash (`appendfsync always`), and never evict a key. Re-entry keeps it. Nothing without a
  // hold.
  [[nodiscard]] std::optional<std::uint64_t> fencing_token() const override;

  // It carries the fencing token. `join` throws std::invalid_argument for what no `hold_token`
  // returned.
  [[nodiscard]] std::optional<std::string> hold_token() const override;

  // For operators. Nothing: nobody holds it, as far as the nodes that answer know.
  [[nodiscard]] std::optional<Holder> holder() { return stage7::holder_of(quorum_, key_); }
  // Removes the lock, whoever holds it: the holder is told at its next renewal. False: there was
  // none. Throws LostReply if too few nodes answered to say so.
  bool force_release() { return stage7::remove(quorum_, key_, channel()); }

 private:
  // One command to each node, all at once; `acquired` as soon as a majority has said yes in good
  // time, and has the same fencing token: if it has not, a second command to each node raises it
  // there. Otherwise it is rolled back where it may have been said. `unknown`: too few answers came
  // to know. Throws Unreachable if there is no majority of nodes to ask, and ErrorReply if too many
  // abstain.
  [[nodiscard]] core::Acquire enter(const Entry& entry) override;
  // Sees to it that a majority stores the fencing token of `tally`, which is replaced by
  // the result of this second round. Only at nodes where the hold still is and the count is not
  // past it: see raise.lua.
  void raise(std::string_view token, QuorumConnections& connections, FencedTally& tally);
  // One command to each node.
  [[nodiscard]] core::Release leave(const Entry& entry) override;
  void roll_back(const Entry& entry) noexcept override;
  // The same where a node has, or may have, said yes. Waits for those that have answered before.
  // Returns how many may still have the level.
  std::size_t roll_back(const Entry& entry, const HoldName& name, QuorumConnections& connections,
                        const Tally& tally);

  Quorum& quorum_;
  const std::string key_;
  const std::string counter_;  // the key of the fencing counter: no lease, never deleted
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<const Renewal> renewal_;
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage8
