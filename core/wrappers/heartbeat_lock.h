// A lock whose holder gives signs of life (core/wrappers/heartbeats.h). All else is the other
// lock's.
//
// Thread-safety: safe to share, like every lock.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/per_thread.h"
#include "core/wrappers/forwarding_lock.h"
#include "core/wrappers/heartbeats.h"

namespace core {

class HeartbeatLock : public ForwardingLock {
 public:
  // The token of the calling thread's hold as its servers know it.
  using TokenOf = std::function<std::optional<std::string>(const Lock&)>;

  // `lock`, whose key on the server is `key`, must outlive this; it is acquired and released
  // through this alone.
  HeartbeatLock(
      Lock& lock, std::string key, std::shared_ptr<Heartbeats> heartbeats,
      TokenOf token_of = [](const Lock& of) { return of.hold_token(); });
  ~HeartbeatLock() override;

  [[nodiscard]] Acquire try_acquire() override;
  [[nodiscard]] Acquire acquire(const Waiting& waiting, const std::stop_token& stop = {}) override;
  [[nodiscard]] Acquire join(const std::string& hold_token) override;
  [[nodiscard]] Release release() override;

 private:
  [[nodiscard]] Acquire begin_if(Acquire outcome);
  void abandon_level() override;
  // The calling thread's hold is over, or another one: nobody is to say that it lives.
  void end_if_gone();

  const std::string key_;
  const std::shared_ptr<Heartbeats> heartbeats_;
  const TokenOf token_of_;
  PerThread<std::string> tokens_;  // the calling thread's hold's
};

}  // namespace core
