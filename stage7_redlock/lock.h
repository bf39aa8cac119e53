// Stage 7: stage 6 on a majority of several independent servers (Redlock).
//
// Gained: the lock survives the loss of a minority of its servers, which have no replicas.
// Missing: a holder that is frozen past its lease, or servers whose clocks jump, and its late write
// goes through. https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/lock.h"
#include "stage7_redlock/names.h"
#include "stage7_redlock/operating.h"
#include "stage7_redlock/quorum.h"
#include "stage7_redlock/quorum_hold.h"

namespace stage7 {

class Lock : public NotifiedLock {
 public:
  // `quorum` must outlive the lock. Locks with the same `key` exclude each other. Throws
  // std::invalid_argument for a lease of 0 ms or less, and for one that is too short to be renewed
  // in time: less than twice the period, or a period of less than 10 ms.
  Lock(Quorum& quorum, std::string key, Options options = {});

  // For operators. Nothing: nobody holds it, as far as the nodes that answer know.
  [[nodiscard]] std::optional<Holder> holder() { return holder_of(quorum_, key_); }
  // Removes the lock, whoever holds it: the holder is told at its next renewal. False: there was
  // none. Throws LostReply if too few nodes answered to say so.
  bool force_release() { return remove(quorum_, key_, channel()); }

 private:
  // One command to each node, all at once; `acquired` as soon as a majority has said yes in good
  // time. Otherwise it is rolled back where it may have been said. `unknown`: too few answers came
  // to know. Throws Unreachable if there is no majority of nodes to ask, and ErrorReply if too many
  // abstain.
  [[nodiscard]] core::Acquire enter(const Entry& entry) override;
  [[nodiscard]] core::Release leave(const Entry& entry) override;
  void roll_back(const Entry& entry) noexcept override;
  // The same where a node has, or may have, said yes. Waits for those that have answered before.
  // Returns how many may still have the level.
  std::size_t roll_back(const Entry& entry, QuorumConnections& connections, const Tally& tally);

  Quorum& quorum_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<const Renewal> renewal_;
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage7
