// The releases of one lock, as its waiters learn of them.
//
// A message can get lost (it is kept for no subscriber that is away), so a waiter also has a time
// limit, and every confirmed subscription counts as a release: the waiter then looks for itself.
//
//   const auto generation = releases->generation();
//   const auto lease_left = ask for the lock;
//   if (lease_left > 0ms) releases->wait(generation, lease_left, stop);
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace stage6 {

class Releases {
 public:
  virtual ~Releases() = default;

  // The channel on which a release is announced.
  [[nodiscard]] virtual const std::string& channel() const = 0;

  // How many releases have been announced so far. Read it *before* asking for the lock: then a
  // release between the two is not missed.
  [[nodiscard]] virtual std::uint64_t generation() const = 0;

  // Waits until `generation()` is greater than `generation`, `limit` has passed, or `stop` is
  // requested. The first call subscribes.
  virtual void wait(std::uint64_t generation, std::chrono::microseconds limit,
                    const std::stop_token& stop) = 0;
};

}  // namespace stage6
