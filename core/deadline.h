// A deadline that excludes the time during which the machine stalls.
//
// Thread-safety: none.
#pragma once

#include <algorithm>
#include <chrono>

namespace core {

class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds limit) : left_(limit) {}

  // Is it over? Of the time since the last call at most a tenth of a second counts: ask more often.
  [[nodiscard]] bool is_over() {
    constexpr std::chrono::nanoseconds step = std::chrono::milliseconds(100);
    const auto now = std::chrono::steady_clock::now();
    left_ -= std::min<std::chrono::nanoseconds>(now - asked_, step);
    asked_ = now;
    return left_.count() <= 0;
  }

 private:
  std::chrono::nanoseconds left_;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

}  // namespace core
