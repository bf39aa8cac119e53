// A hold that a majority of several nodes keeps, and how it is renewed.
//
// A renewal is put to all nodes; the lease counts anew when a majority has said yes. A node that
// does not have the hold (it was away, or the key was lost there) is given it after, and only
// after, a majority of this round has said yes without it: a majority that is lost stays lost.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "stage5_watchdog/hold.h"
#include "stage7_redlock/names.h"
#include "stage7_redlock/nodes.h"
#include "stage7_redlock/quorum_connections.h"

namespace stage7 {

// Thread-safety: safe to share.
class QuorumHold : public stage5::Hold {
 public:
  // As stage5::Hold, of the calling thread. `keys` of its scripts; `connections`: what its acquire
  // was sent over.
  QuorumHold(std::string token, std::chrono::milliseconds lease, stage5::Clock::time_point asked,
             std::shared_ptr<const stage5::Renewal> renewal, std::shared_ptr<const Nodes> nodes,
             const Words& keys, std::shared_ptr<QuorumConnections> connections);

  [[nodiscard]] const std::shared_ptr<QuorumConnections>& connections() const {
    return connections_;
  }

  // A node that does not have the hold is given it by `script`, an acquire, and its thread stands
  // `depth` levels deep in it there.
  void repair_with(core::Script script, int depth);

 protected:
  [[nodiscard]] std::vector<stage5::Question> questions(stage5::Clock::time_point asked) override;
  [[nodiscard]] std::optional<stage5::Renewed> learn(const core::Address& server,
                                                     stage5::Renewed outcome,
                                                     stage5::Clock::time_point asked) override;
  [[nodiscard]] std::vector<stage5::Question> repairs() override;

  // The arguments of the acquire that gives the hold to a node.
  [[nodiscard]] virtual std::vector<std::string> entering(int depth) const;

 private:
  // The answers to one round. The watchdog's thread has them for itself.
  struct Round {
    stage5::Clock::time_point asked;
    std::size_t renewed = 0;
    std::size_t lost = 0;
    std::size_t unknown = 0;
    std::optional<stage5::Renewed> outcome = {};
    std::vector<core::Address> without_it = {};  // nodes that said lost, to be repaired
  };

  // The participant: a node that does not know it is repaired, although another participant may
  // have given it the hold.
  const std::string participant_;
  const std::shared_ptr<const Nodes> nodes_;
  const std::vector<std::string> keys_;
  const std::shared_ptr<QuorumConnections> connections_;
  Round round_;
  std::mutex mutex_;
  core::Script repair_;  // guarded by mutex_
  int depth_ = 1;        // guarded by mutex_
};

// The connections over which the hold of `entry` was acquired, for further questions about it.
[[nodiscard]] inline const std::shared_ptr<QuorumConnections>& connections_of(const Entry& entry) {
  return static_cast<const QuorumHold&>(*entry.hold).connections();
}

}  // namespace stage7
