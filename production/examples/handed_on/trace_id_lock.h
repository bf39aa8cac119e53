// A wrong turn: a lock whose owner is the id of the request, so that every service which is called
// for that request may enter. A trace id names a request and not a hold: the request that is sent
// once more has the same one, and so does its first attempt, which may still be under way.
//
// Thread-safety: none.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/lock.h"
#include "core/redis/server.h"

namespace examples {

class TraceIdLock : public core::Lock {
 public:
  // `server` must outlive the lock.
  TraceIdLock(core::Server& server, std::string key, std::string trace_id)
      : server_(server), key_(std::move(key)), trace_id_(std::move(trace_id)) {}

  [[nodiscard]] core::Acquire try_acquire() override {
    const auto reply = server_.command({"SET", key_, trace_id_, "NX", "PX", "30000"});
    return reply.is_ok() ? core::Acquire::acquired : enter(trace_id_);
  }
  [[nodiscard]] core::Acquire join(const std::string& trace_id) override {
    const auto outcome = enter(trace_id);
    is_guest_ = outcome == core::Acquire::acquired;
    return outcome;
  }
  // A called service leaves it to its caller, which has begun the hold.
  [[nodiscard]] core::Release release() override {
    if (is_guest_) return core::Release::still_held;
    const auto removed = server_.command({"DEL", key_}).integer();
    return removed == 1 ? core::Release::released : core::Release::expired;
  }
  [[nodiscard]] std::optional<std::string> hold_token() const override { return trace_id_; }

 private:
  [[nodiscard]] core::Acquire enter(const std::string& trace_id) {
    const bool is_it = server_.command({"GET", key_}).text() == trace_id;
    return is_it ? core::Acquire::acquired : core::Acquire::contended;
  }

  core::Server& server_;
  const std::string key_;
  const std::string trace_id_;
  bool is_guest_ = false;  // in the hold of a caller
};

}  // namespace examples
