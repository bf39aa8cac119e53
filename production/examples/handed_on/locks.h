// The agreement of the two programs: the lock of the order, and how a request carries its
// hold.
#pragma once

#include <memory>
#include <string>

#include "core/lock.h"
#include "core/redis/server.h"
#include "production/examples/handed_on/trace_id_lock.h"
#include "stage6_reentrant/lock.h"

namespace examples {

// The header with the token of the caller's hold. It lets its reader enter the lock: send it to
// services that may do that, over TLS, and write it into no log.
inline constexpr const char* hold_header = "Lock-Hold";
// The header that names the request, for logs: https://www.w3.org/TR/trace-context/ has a real one.
inline constexpr const char* trace_header = "Trace-Id";

inline constexpr const char* order_lock = "lock:order:4711";

// The lock as it should be, or with the id of the request for its token.
enum class Owner { hold, trace_id };

[[nodiscard]] inline std::unique_ptr<core::Lock> make_lock(core::Server& server, Owner owner,
                                                           const std::string& trace_id) {
  if (owner == Owner::hold) return std::make_unique<stage6::Lock>(server, order_lock);
  return std::make_unique<TraceIdLock>(server, order_lock, trace_id);
}

}  // namespace examples
