// The contract of a script that compares a token: it compares all of it.
//
// Random tokens never share eight characters, so that a script which compares only those would pass
// every other test. A stage's tests list its scripts:
//
//   INSTANTIATE_TEST_SUITE_P(Stage4, TokenContract, testing::Values(release), by_script_name);
//
// Each is run against a real server that stores the hold of a similar token.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "core/redis/reply.h"
#include "core/redis/server.h"
#include "faults/testing/redis_test.h"

namespace core {

struct TokenComparison {
  std::string script;  // its name without ".lua"

  // Stores the hold of `token`, as the lock does.
  std::function<void(core::Server&, const std::string& token)> store;
  // Runs the script with `token`, and returns its reply.
  std::function<core::Reply(core::Server&, const std::string& token)> run;
  // True if that reply says that the hold is another one's.
  std::function<bool(const core::Reply&)> refused;
};

inline void PrintTo(const TokenComparison& comparison, std::ostream* out) {
  *out << comparison.script;
}

// The name of an instance, for INSTANTIATE_TEST_SUITE_P.
inline std::string by_script_name(const testing::TestParamInfo<TokenComparison>& info) {
  return info.param.script;
}

// Stores a hold as a string, or as a hash, as the locks do; for a minute.
void store_as_string(core::Server& server, const std::string& token);
void store_as_hash(core::Server& server, const std::string& token);

// The reply is the number `expected`: a script's "another client's hold".
[[nodiscard]] std::function<bool(const core::Reply&)> replies(long long expected);

class TokenContract : public faults::RedisTest,
                      public testing::WithParamInterface<TokenComparison> {};

}  // namespace core
