#include "stage6_reentrant/waiting/notified_lock.h"

#include <algorithm>

namespace stage6 {

core::Acquire NotifiedLock::try_or_enqueue() {
  // Read before the lock is asked for: a release after this is not missed.
  const auto generation = releases_->generation();
  const auto outcome = try_acquire();
  if (outcome == core::Acquire::contended) {
    wait_.change([&](Wait& wait) {
      wait.generation = generation;
      return true;
    });
  }
  return outcome;
}

core::Acquire NotifiedLock::refused(std::chrono::microseconds busy_for) {
  wait_.change([&](Wait& wait) {
    wait.busy_for = busy_for;
    return true;
  });
  return core::Acquire::contended;
}

bool NotifiedLock::pause(core::Waiting::Duration time, const std::stop_token& stop) {
  const auto wait = wait_.get().value_or(Wait{});
  wait_.clear();
  releases_->wait(wait.generation, std::min(time, wait.busy_for), stop);
  return !stop.stop_requested();
}

}  // namespace stage6
