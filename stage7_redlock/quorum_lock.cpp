#include "stage7_redlock/quorum_lock.h"

#include <stdexcept>

namespace stage7 {
namespace {

// The waiters of the lock `key` are at KEY:waiters.
const std::string& checked(const std::string& key) {
  if (key.ends_with(":waiters")) {
    throw std::invalid_argument("a key must not end in :waiters, as the lines of others do");
  }
  return key;
}

}  // namespace

QuorumLock::QuorumLock(const std::string& stage, Quorum& quorum, const std::string& key,
                       std::chrono::milliseconds lease, core::Script release,
                       const std::vector<std::string>& more_keys)
    : ReentrantLock(stage + " " + quorum.text(), checked(key)),
      quorum_(quorum),
      lease_(lease),
      line_(WaitingLine::of(stage, quorum, key, release, more_keys)) {}

core::Acquire QuorumLock::try_or_enqueue() {
  if (!finish_release()) return core::Acquire::unknown;
  if (held_by_this_thread()) return try_acquire();
  return line_->try_or_enqueue(quorum_, lease_, [this](const std::string& token) {
    return enter({.token = token, .begins = true});
  });
}

bool QuorumLock::pause(core::Waiting::Duration time, const std::stop_token& stop) {
  return line_->pause(time, stop);
}

void QuorumLock::cancel_wait() noexcept {
  line_->cancel_wait();
}

}  // namespace stage7
