// The limit of a lock on several nodes: bare loops that send its commands to all of them.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/redis/address.h"
#include "tools/bench/measure/baseline.h"

namespace bench {

class QuorumBaseline {
 public:
  // Connects to every node. Throws core::Unreachable.
  QuorumBaseline(const std::vector<core::Address>& nodes, const std::vector<Command>& commands);

  // The first attempts of most people: each command to one node after another, or to all nodes at
  // once, waiting for all. Both throw std::runtime_error if a node does not answer, or with an
  // error.
  void one_after_another();
  void wait_for_all();

  // The limit of a lock on a quorum: to all nodes at once, and on as soon as a majority has
  // answered every command so far. Late replies are read when they arrive, so neither of the other
  // loops can follow on the same connections. Throws as they do.
  void wait_for_first_majority();

 private:
  [[nodiscard]] std::size_t answered() const;
  void receive_late_replies();

  const std::size_t commands_;
  std::vector<std::unique_ptr<Baseline>> baselines_;
  std::vector<std::size_t> outstanding_;  // how many replies each node owes
};

}  // namespace bench
