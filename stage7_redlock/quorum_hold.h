// A hold that a majority of several nodes keeps, and how it is renewed.
//
// A renewal is put to all nodes; the lease starts again when a majority has said yes. A node that
// does not have the hold (it was away, or the key was lost there) is given it after, and only
// after, a majority of this round has said yes without it: a majority that is lost stays lost.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stage7_redlock/names.h"
#include "stage7_redlock/nodes.h"
#include "stage7_redlock/quorum_connections.h"

namespace stage7 {

// Thread-safety: safe to share.
class QuorumHold : public stage5::Hold {
 public:
  // As stage5::Hold, of the calling thread. `keys` of its scripts; `repair`: the acquire that gives
  // the hold to a node; `connections`: what its acquire was sent over.
  QuorumHold(std::string token, std::chrono::milliseconds lease, Clock::time_point asked,
             std::shared_ptr<const Renewal> renewal, std::shared_ptr<const Nodes> nodes,
             const Words& keys, core::Script repair,
             std::shared_ptr<QuorumConnections> connections);

  [[nodiscard]] const std::shared_ptr<QuorumConnections>& connections() const {
    return connections_;
  }

  // Its thread is `depth` levels deep in it: a node that is repaired from now on gets that depth.
  void repair_at(int depth) { depth_ = depth; }

 protected:
  void renew(const Ask& ask, const OnOutcome& settle) override;

  // The arguments of the acquire that gives the hold to a node.
  [[nodiscard]] virtual std::vector<std::string> entering(int depth) const;

 private:
  // The answers to one round of renewal.
  struct Round {
    std::size_t renewed = 0;
    std::size_t lost = 0;
    std::size_t unknown = 0;
    std::optional<Renewed> outcome = {};
    std::vector<core::Address> without_it = {};  // nodes that said lost, to be repaired
  };

  void hear(const core::Address& node, Renewed answer);
  [[nodiscard]] std::optional<Renewed> outcome() const;
  void repair(const Ask& ask);

  // The participant: a node that does not know it is repaired, although another participant may
  // have given it the hold.
  const std::string participant_;
  const std::shared_ptr<const Nodes> nodes_;
  const std::vector<std::string> keys_;
  const core::Script repair_;
  const std::shared_ptr<QuorumConnections> connections_;
  std::atomic<int> depth_{1};
  std::shared_ptr<Round> round_;  // the watchdog's thread has it for itself
};

// A hold of this stage. Throws std::bad_cast for another.
[[nodiscard]] inline QuorumHold& quorum_hold(const std::shared_ptr<Hold>& hold) {
  return dynamic_cast<QuorumHold&>(*hold);
}

// The connections over which the hold of `entry` was acquired, for further questions about it.
[[nodiscard]] inline const std::shared_ptr<QuorumConnections>& connections_of(const Entry& entry) {
  return quorum_hold(entry.hold).connections();
}

}  // namespace stage7
