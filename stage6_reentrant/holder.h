// The holder of a lock, for an operator.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "core/redis/reply.h"

namespace stage6 {

struct Holder {
  std::string who;                          // host and process
  std::chrono::sys_seconds since;           // by a server's clock
  std::chrono::milliseconds lease_left{0};  // unless it is renewed
};

// From the reply of holder.lua. Nothing: the lock is free.
[[nodiscard]] inline std::optional<Holder> holder_from(const core::Reply& reply) {
  if (reply.parts() == 0) return std::nullopt;
  return Holder{.who = std::string(reply.text(0)),
                .since = std::chrono::sys_seconds(std::chrono::seconds(reply.integer(1))),
                .lease_left = std::chrono::milliseconds(std::max(reply.integer(2), 0LL))};
}

}  // namespace stage6
