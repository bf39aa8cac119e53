// The base of a lock that adds something to another one: what it does not change is the other's.
//
// Thread-safety: safe to share, like every lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "core/lock.h"

namespace core {

class ForwardingLock : public Lock {
 public:
  [[nodiscard]] std::optional<std::chrono::milliseconds> remaining() const override {
    return lock_.remaining();
  }
  [[nodiscard]] std::stop_token lost() const override { return lock_.lost(); }
  [[nodiscard]] std::optional<std::string> hold_token() const override {
    return lock_.hold_token();
  }
  [[nodiscard]] std::optional<std::uint64_t> fencing_token() const override {
    return lock_.fencing_token();
  }
  [[nodiscard]] Waiting usual_waiting() const override { return lock_.usual_waiting(); }

 protected:
  // `lock` must outlive this. It is acquired and released through this alone.
  explicit ForwardingLock(Lock& lock) : lock_(lock) {}

  void abandon_level() override { lock_.abandon_level(); }

  Lock& lock_;
};

}  // namespace core
