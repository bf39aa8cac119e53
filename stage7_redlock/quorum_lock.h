// The part that all locks on a quorum share, whatever their scripts: their waiters stand in line.
//
// Thread-safety: safe to share, like every lock.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/redis/script.h"
#include "stage6_reentrant/reentrant_lock.h"
#include "stage7_redlock/quorum.h"
#include "stage7_redlock/waiting_line.h"

namespace stage7 {

class QuorumLock : public stage6::ReentrantLock {
 protected:
  // `lease`: what each try asks for. The others as for WaitingLine::of. Throws
  // std::invalid_argument for a key that ends in ":waiters", the name of the line beside a lock.
  QuorumLock(const std::string& stage, Quorum& quorum, const std::string& key,
             std::chrono::milliseconds lease, core::Script release,
             const std::vector<std::string>& more_keys = {});

  // Waiting, as waiting_line.h says.
  [[nodiscard]] core::Acquire try_or_enqueue() override;
  [[nodiscard]] bool pause(core::Waiting::Duration time, const std::stop_token& stop) override;
  void cancel_wait() noexcept override;

  Quorum& quorum_;
  const std::chrono::milliseconds lease_;
  const std::shared_ptr<WaitingLine> line_;
};

}  // namespace stage7
