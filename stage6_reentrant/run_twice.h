// Runs a script again whose reply was lost.
#pragma once

#include <initializer_list>
#include <string_view>

#include "core/error.h"
#include "core/redis/reply.h"
#include "core/redis/script.h"
#include "core/redis/server.h"

namespace stage6 {

// For a script that does no harm a second time: the second reply brings the answer. Throws
// LostReply if the second is lost as well, and what core::Server throws for the first.
[[nodiscard]] inline core::Reply run_twice(core::Server& server, const core::Script& script,
                                           std::initializer_list<std::string_view> keys,
                                           std::initializer_list<std::string_view> arguments) {
  try {
    return server.run(script, keys, arguments);
  } catch (const core::LostReply&) {
  }
  try {
    return server.run(script, keys, arguments);
  } catch (const core::ServerError& error) {
    throw core::LostReply(error.what());
  }
}

}  // namespace stage6
