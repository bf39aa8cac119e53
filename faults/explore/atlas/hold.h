// One hold of a lock of the atlas, as its holder sees it.
//
// Thread-safety: safe to share.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "core/lease.h"

namespace atlas {

using Clock = std::chrono::steady_clock;

class Hold {
 public:
  // `asked`: just before the acquiring command was sent.
  Hold(std::string key, std::string value, std::chrono::milliseconds lease, Clock::time_point asked)
      : key_(std::move(key)),
        value_(std::move(value)),
        lease_(lease),
        asked_(asked),
        ends_(core::local_deadline(asked, lease)) {}

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& value() const { return value_; }  // of the key
  [[nodiscard]] std::chrono::milliseconds lease() const { return lease_; }
  [[nodiscard]] Clock::time_point asked() const { return asked_; }
  // By the holder's own clock.
  [[nodiscard]] Clock::time_point ends() const { return ends_.load(); }
  [[nodiscard]] std::chrono::milliseconds remaining() const {
    if (is_lost_.load()) return std::chrono::milliseconds(0);
    const auto left = std::chrono::floor<std::chrono::milliseconds>(ends() - Clock::now());
    return std::max(left, std::chrono::milliseconds(0));
  }

  void renewed_from(Clock::time_point asked) { ends_ = core::local_deadline(asked, lease_); }
  void mark_lost() { is_lost_ = true; }
  void stop_renewing() { is_renewed_ = false; }
  [[nodiscard]] bool is_renewed() const { return is_renewed_.load() && !is_lost_.load(); }

 private:
  const std::string key_;
  const std::string value_;
  const std::chrono::milliseconds lease_;
  const Clock::time_point asked_;
  std::atomic<Clock::time_point> ends_;
  std::atomic<bool> is_lost_{false};
  std::atomic<bool> is_renewed_{true};
};

}  // namespace atlas
