// A hold of a quorum, its fencing token, and the name that carries both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stage8_fencing/names.h"

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

// The fencing token of a hold of this stage. Throws std::bad_cast for another.
[[nodiscard]] inline std::uint64_t fencing_token_of(const Hold& hold) {
  return dynamic_cast<const FencedHold&>(hold).fencing_token();
}

// The name of a hold. Thread-safety: a value; it does not own the token.
struct HoldName {
  std::string_view token;
  std::uint64_t fencing = 0;  // 0: it is to get its fencing token

  // The name of the hold of `entry`. Throws std::invalid_argument if a hold is to be joined and
  // `entry.token` is no `text()` of one.
  [[nodiscard]] static HoldName of(const Entry& entry);

  // As it is handed on to others.
  [[nodiscard]] std::string text() const;
};

}  // namespace stage8
