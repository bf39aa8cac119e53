// N independent Redis masters that vote on the holder of a lock: the handle that locks share.
//
// A node that comes back without its data does not know what it voted for, and would vote again:
// with two others it could give a lock away that is held. So a node has a *marker*, a key set when
// it is made a member; without it it abstains, and it is let in again only when every lease that it
// may have forgotten has run out. (How long the server has been up would not do:
// `uptime_in_seconds` follows its wall clock.)
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/redis/address.h"
#include "stage7_redlock/nodes.h"
#include "stage7_redlock/quorum_connections.h"

namespace stage7 {

struct QuorumOptions {
  // The longest wait for one node: far less than a lease.
  std::chrono::milliseconds node_timeout{50};
  // The key that makes a node a member. Empty: every node votes, whatever it has forgotten.
  std::string marker = "redlock:member";
};

class Quorum {
 public:
  // `nodes` must not know of each other: no replication. An even number works, but survives no more
  // losses than one node less; that is said on standard error. Throws std::invalid_argument without
  // nodes, or if one is named twice.
  explicit Quorum(std::vector<core::Address> nodes, QuorumOptions options = {});

  [[nodiscard]] const Nodes& nodes() const { return *nodes_; }
  // For a hold that may outlive the quorum.
  [[nodiscard]] std::shared_ptr<const Nodes> shared_nodes() const { return nodes_; }
  [[nodiscard]] const std::string& marker() const { return options_.marker; }
  // The keys that a script is given which votes: `keys`, and the marker if one is asked for.
  [[nodiscard]] Words with_marker(Words keys) const;
  // All addresses.
  [[nodiscard]] std::string text() const;

  // Makes all nodes members: once, when they are set up, before the first lock. Throws what
  // core::Server throws.
  void provision();

  // Makes `node`, which came back without its data, a member again, once `longest_lease`, the
  // longest that any lock asks for, has passed. False if `stop` was requested before. Throws
  // std::logic_error if no marker is asked for. (If locks have fencing tokens: stage8::readmit.)
  bool readmit(const core::Address& node, std::chrono::milliseconds longest_lease,
               const std::stop_token& stop = {});

  // Throws std::logic_error if no marker is asked for.
  void must_have_marker() const;

  // Connections for a thread to use. What is asked about one hold goes over the same ones.
  [[nodiscard]] std::shared_ptr<QuorumConnections> connections();

 private:
  const std::shared_ptr<const Nodes> nodes_;
  const QuorumOptions options_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<QuorumConnections>> all_;  // guarded by mutex_
};

}  // namespace stage7
