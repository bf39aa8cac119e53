// Rules about WATCH, MULTI and EXEC.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

// In a transaction: the answers of SET and of EXEC.
Wire takes_in_a_transaction(const std::string& outcome) {
  Wire tale;
  tale.asks_to("A", "acquire").sends("A", "WATCH lock", {}, "OK").sends("A", "MULTI", {}, "OK");
  tale.sends("A", "SET lock 787b…", {}, "QUEUED").sends("A", "EXEC", {}, "nil");
  return tale.is_told("A", "acquire", outcome);
}

TEST(RuleOfTransactions, ANilOfExecIsLookedAt) {
  EXPECT_TRUE(is_said("exec_not_looked_at", takes_in_a_transaction("acquired")));
  EXPECT_FALSE(is_said("exec_not_looked_at", takes_in_a_transaction("contended")));
}

TEST(RuleOfTransactions, AWatchIsLeftOverUntilItIsEnded) {
  const auto gives_back_after = [](const std::string& end) {
    Wire tale;
    tale.asks_to("A", "release").sends("A", "WATCH lock", {}, "OK");
    tale.sends("A", "GET lock", {}, "fc39…");
    if (!end.empty()) tale.sends("A", end, {}, "OK");
    tale.is_told("A", "release", "stolen").takes("A").asks_to("A", "release");
    tale.sends("A", "WATCH lock", {}, "OK").sends("A", "GET lock", {}, "787b…");
    tale.sends("A", "MULTI", {}, "OK").sends("A", "DEL lock", {}, "QUEUED");
    return tale.sends("A", "EXEC", {}, "nil").is_told("A", "release", "stolen");
  };
  EXPECT_TRUE(is_said("watch_left_over", gives_back_after("")));
  EXPECT_FALSE(is_said("watch_left_over", gives_back_after("UNWATCH")));
}

}  // namespace
}  // namespace learning
