// Random tokens that identify holds.
#pragma once

#include <string>

namespace core {

// 128 random bits from the operating system (getrandom(2)), as 32 hex digits. Every hold of a lock
// gets a fresh one. Why a random value and not a host or thread name:
// https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/#correct-implementation-with-a-single-instance
// Throws std::system_error if the operating system has no random bytes. Any thread may call it.
[[nodiscard]] std::string random_token();

}  // namespace core
