// Rules about a client that has several locks at once.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

// A has "another" lock, taken with the token 41ea…
Wire with_another() {
  Wire tale;
  tale.call("A", "release", {{"key", "warm-up"}}).answer("A", "release", "released");
  tale.call("A", "acquire", {{"key", "another"}});
  tale.add("A", Kind::command, {{"to", "redis"}, {"text", "SET another 41ea… NX PX 300"}});
  tale.add("A", Kind::reply, {{"from", "redis"}, {"command", "SET"}, {"text", "OK"}});
  tale.answer("A", "acquire", "acquired");
  return tale;
}

TEST(RuleOfKeys, ATokenIsOfOneLock) {
  const auto gives_back = [](const std::string& token, const std::string& outcome) {
    return with_another()
        .takes("A")
        .asks_to("A", "release")
        .sends("A", "EVALSHA 22bb… 1 lock " + token, {}, "-1")
        .is_told("A", "release", outcome);
  };
  EXPECT_TRUE(is_said("mixes_up_its_locks", gives_back("41ea…", "stolen")));
  EXPECT_FALSE(is_said("mixes_up_its_locks", gives_back("787b…", "stolen")));
}

TEST(RuleOfKeys, LevelsAreOfOneLock) {
  const auto gives_back = [](const std::string& outcome) {
    auto tale = with_another().takes("A").asks_to("A", "release");
    return tale.is_told("A", "release", outcome);
  };
  EXPECT_TRUE(is_said("mixes_up_its_locks", gives_back("still_held")));
  EXPECT_FALSE(is_said("mixes_up_its_locks", gives_back("released")));
}

TEST(RuleOfKeys, WhoHasOneLockHasNotTheOther) {
  const auto asks = [](Wire tale) {
    return tale.asks_to("A", "acquire").is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("mixes_up_its_locks", asks(with_another())));
  EXPECT_FALSE(is_said("mixes_up_its_locks", asks(Wire())));
  auto given_back = with_another();
  given_back.call("A", "release", {{"key", "another"}}).answer("A", "release", "released");
  EXPECT_FALSE(is_said("mixes_up_its_locks", asks(given_back)));
}

TEST(RuleOfKeys, WhoHasOneLockGoesNoDeeperIntoTheOther) {
  const auto asks_first_with = [](const std::string& token) {
    return with_another()
        .asks_to("A", "acquire")
        .sends("A", "EVALSHA 704d… 1 lock " + token + " 2 300 join", {}, "0")
        .sends("A", "EVALSHA 704d… 1 lock 787b… 1 300 begin", {"hset"}, "300")
        .is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("mixes_up_its_locks", asks_first_with("41ea…")));
  EXPECT_FALSE(is_said("mixes_up_its_locks", asks_first_with("c0de…")));
}

TEST(RuleOfKeys, EachLockIsRenewed) {
  const auto over_when_renewed = [](const std::string& key) {
    auto tale = with_another().takes("A");
    tale.add("A", Kind::command, {{"to", "redis"}, {"text", "EVALSHA 704d… 1 " + key + " 41ea…"}});
    tale.add("redis", Kind::server, {{"what", "expire"}, {"key", key}});
    tale.add("A", Kind::reply, {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "1"}});
    tale.add("redis", Kind::server, {{"what", "expired"}, {"key", lock_key}});
    return tale;
  };
  EXPECT_TRUE(is_said("renews_one_lock_only", over_when_renewed("another")));
  EXPECT_FALSE(is_said("renews_one_lock_only", over_when_renewed("lock")));
}

TEST(RuleOfKeys, LevelsAreCountedForEachLock) {
  const auto gives_back = [](Wire tale, const std::string& outcome) {
    return tale.takes("A")
        .asks_to("A", "release")
        .sends("A", "EVALSHA 22bb… 1 lock 787b… 1", {"hset"}, "2")
        .is_told("A", "release", outcome);
  };
  EXPECT_TRUE(is_said("mixes_up_its_locks", gives_back(with_another(), "still_held")));
  EXPECT_FALSE(is_said("mixes_up_its_locks", gives_back(with_another(), "released")));
  EXPECT_FALSE(is_said("mixes_up_its_locks", gives_back(Wire(), "still_held")));
}

}  // namespace
}  // namespace learning
