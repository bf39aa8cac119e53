// The nodes of a quorum, and how many of them are a majority.
//
// Thread-safety: a value.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/redis/address.h"

namespace stage7 {

class Nodes {
 public:
  explicit Nodes(std::vector<core::Address> addresses) : addresses_(std::move(addresses)) {}

  [[nodiscard]] const std::vector<core::Address>& addresses() const { return addresses_; }
  [[nodiscard]] std::size_t count() const { return addresses_.size(); }
  // Two majorities have a node in common, whatever nodes they are of.
  [[nodiscard]] std::size_t majority() const { return count() / 2 + 1; }
  // Are so many nodes enough to keep the others from being a majority?
  [[nodiscard]] bool prevent_majority(std::size_t some) const {
    return some > count() - majority();
  }

 private:
  std::vector<core::Address> addresses_;
};

}  // namespace stage7
