// A hold of a quorum, and its fencing token.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stage7_redlock/quorum_hold.h"

namespace stage8 {

// Thread-safety: safe to share.
class FencedHold : public stage7::QuorumHold {
 public:
  template <typename... Arguments>
  explicit FencedHold(std::uint64_t fencing_token, Arguments&&... arguments)
      : QuorumHold(std::forward<Arguments>(arguments)...), fencing_token_(fencing_token) {}

  [[nodiscard]] std::uint64_t fencing_token() const { return fencing_token_; }

 private:
  [[nodiscard]] std::vector<std::string> entering(int depth) const override {
    auto arguments = QuorumHold::entering(depth);
    arguments.push_back(std::to_string(fencing_token_));
    return arguments;
  }

  const std::uint64_t fencing_token_;
};

}  // namespace stage8
