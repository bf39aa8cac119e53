// The commands of a lock, sent to several nodes without what makes a lock of them: what people
// write first, and the limit.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bench/replay.h"
#include "core/address.h"

namespace bench {

class ByHand {
 public:
  // Connects to every node. Throws core::Unreachable.
  ByHand(const std::vector<core::Address>& nodes, const std::vector<Words>& commands);

  // What people write first: each command to one node after another, or to all at once, and wait
  // for all. Throw std::runtime_error if a node does not answer, or with an error.
  void one_after_another();
  void wait_for_all();

  // The limit of a lock on a quorum: to all at once, and on as soon as a majority has answered all
  // it was asked. What is late is read when it comes: on the same connections neither of the others
  // can follow. Throws as they do.
  void wait_for_the_first_majority();

 private:
  [[nodiscard]] std::size_t answered() const;
  void receive_from_who_owes();

  const std::size_t commands_;
  std::vector<std::unique_ptr<Replay>> replays_;
  std::vector<std::size_t> owed_;  // how many replies each node owes
};

}  // namespace bench
