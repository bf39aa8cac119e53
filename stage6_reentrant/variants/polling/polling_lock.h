// The lock of stage 6 for a waiter that polls: it asks again and again, and is notified of nothing.
#pragma once

#include <utility>

#include "stage6_reentrant/lock.h"

namespace stage6 {

class PollingLock : public Lock {
 public:
  // As Lock. It waits as `waiting` says.
  PollingLock(core::Server& server, std::string key, core::Waiting waiting, Options options = {})
      : Lock(server, std::move(key), options), waiting_(waiting) {}

  [[nodiscard]] core::Waiting usual_waiting() const override { return waiting_; }

 private:
  [[nodiscard]] bool pause(core::Waiting::Duration time, const std::stop_token& stop) override {
    return core::Lock::pause(time, stop);
  }

  const core::Waiting waiting_;
};

}  // namespace stage6
