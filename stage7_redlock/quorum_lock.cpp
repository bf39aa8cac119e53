#include "stage7_redlock/quorum_lock.h"

namespace stage7 {

QuorumLock::QuorumLock(const std::string& stage, Quorum& quorum, const std::string& key,
                       std::chrono::milliseconds lease, core::Script release,
                       const std::vector<std::string>& more_keys)
    : ReentrantLock(stage + " " + quorum.text(), key),
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
