// The commands that a new connection begins with: AUTH if there is a password
// (https://redis.io/docs/latest/commands/auth/), SELECT for a database other than 0, ROLE
// (https://redis.io/docs/latest/commands/role/) if it must be a master. No other command may be
// sent before these have succeeded: it could run as the wrong user, in the wrong database, or on a
// replica.
//
// Thread-safety: values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/redis/address.h"
#include "core/redis/reply.h"

namespace core {

struct ConnectionSetup {
  std::string bytes;        // the commands, encoded
  std::size_t replies = 0;  // how many they are

  [[nodiscard]] static ConnectionSetup of(const Address& address);
};

// The sentence for a setup that the server answered with this error. A server whose AUTH was
// renamed repeats the password in its error; the sentence does not.
[[nodiscard]] std::string setup_refused(const Address& address, std::string_view error);

// Is this ROLE's answer, and does it name a replica? Then the sentence for it; else empty.
[[nodiscard]] std::string not_the_master(const Address& address, const Reply& reply);

}  // namespace core
