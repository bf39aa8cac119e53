#include "core/testing/token_contract.h"

#include <chrono>
#include <vector>

namespace core {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TokenContract);

namespace {

constexpr const char* key = "orders";

// Tokens that a careless comparison takes for `token`.
std::vector<std::string> similar_to(const std::string& token) {
  auto other_end = token;
  other_end.back() = 'x';
  auto other_beginning = token;
  other_beginning.front() = 'x';
  auto other_middle = token;
  other_middle[token.size() / 2] = 'x';
  return {other_end,       other_beginning, other_middle, token.substr(0, 8),
          token.substr(1), token + "0",     "."};  // "." is a pattern that matches any character
}

}  // namespace

void store_as_string(core::Server& server, const std::string& token) {
  server.command({"SET", key, token, "PX", "60000"});
}

void store_as_hash(core::Server& server, const std::string& token) {
  server.command({"DEL", key});
  server.command({"HSET", key, "token", token, "who", "host", "since", "1", "lease", "60000",
                  "fencing", "1", "thread", "1"});
  server.command({"PEXPIRE", key, "60000"});
}

std::function<bool(const core::Reply&)> replies(long long expected) {
  return [expected](const core::Reply& reply) { return reply.integer() == expected; };
}

TEST_P(TokenContract, ComparesTheWholeToken) {
  const auto& script = GetParam();
  const std::string token = "0123456789abcdef0123456789abcdef";
  for (const auto& other : similar_to(token)) {
    script.store(redis().direct(), token);
    const std::string stored(redis().direct().command({"DUMP", key}).text());
    SCOPED_TRACE("it takes " + other + " for " + token);
    EXPECT_TRUE(script.refused(script.run(server(), other)));
    EXPECT_EQ(redis().direct().command({"DUMP", key}).text(), stored);
    EXPECT_LE(time_left(key), std::chrono::minutes(1));
  }
  EXPECT_FALSE(script.refused(script.run(server(), token))) << "it refuses its own token";
}

}  // namespace core
