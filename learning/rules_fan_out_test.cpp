// Rules about asking several servers, and about transactions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learning/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

const std::string question = "EVALSHA a11c… 1 lock 787b… 300";
const std::string taking_back = "EVALSHA 316f… 1 lock 787b…";

TEST(RuleOfAsking, OneAfterAnotherIsNotAllAtOnce) {
  const auto asks = [](int events_between) {
    Wire tale(5);
    tale.acquires_on({1, 2, 3}, "B");
    tale.asks_to("A", "acquire", {{"wait_ms", 100}, {"must_get_in", true}});
    for (int node = 1; node <= 5; ++node) {
      tale.command_to(node, "A", question);
      tale.time_passes(events_between);
    }
    tale.is_told("A", "acquire", "contended");
    return tale;
  };
  EXPECT_TRUE(is_said("asks_one_after_another", asks(50)));
  EXPECT_FALSE(is_said("asks_one_after_another", asks(0)));
}

TEST(RuleOfAsking, WhoComesRoundOnceMoreHasAskedAllBefore) {
  Wire tale(5);
  tale.asks_to("A", "acquire");
  for (int round = 1; round <= 3; ++round) {
    for (int node = 1; node < 5; ++node) tale.command_to(node, "A", question);
    tale.time_passes(50);
  }
  tale.command_to(5, "A", question);  // it was away until now
  tale.is_told("A", "acquire", "contended");
  EXPECT_FALSE(is_said("asks_one_after_another", tale));
}

TEST(RuleOfAsking, WhatIsTakenBackCanBeOvertaken) {
  const auto gives_back = [](bool in_order) {
    const auto sends = [](Wire& tale, const std::string& text) { tale.command_to(1, "A", text); };
    const auto does = [](Wire& tale, const char* what) {
      tale.add("node1", Kind::server, {{"what", what}, {"key", lock_key}});
    };
    Wire tale(5);
    tale.asks_to("A", "acquire");
    sends(tale, "EVAL --… 1 lock 787b… 300");
    sends(tale, taking_back);
    does(tale, "hset");
    if (in_order) does(tale, "del");
    tale.add("A", Kind::reply, {{"from", "node1"}, {"command", "EVAL"}, {"text", "300"}});
    tale.add("A", Kind::reply,
             {{"from", "node1"}, {"command", "EVALSHA"}, {"text", in_order ? "1" : "0"}});
    return tale.is_told("A", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("take_back_overtakes", gives_back(false)));
  EXPECT_FALSE(is_said("take_back_overtakes", gives_back(true)));
}

TEST(RuleOfAsking, WhatIsAskedAnewIsNotWhatWasTakenBack) {
  const auto asks_anew = [](bool anew) {
    const auto replies = [](Wire& tale, const char* command, const char* text) {
      tale.add("A", Kind::reply, {{"from", "node1"}, {"command", command}, {"text", text}});
    };
    Wire tale(5);
    tale.asks_to("A", "acquire").command_to(1, "A", "EVAL --… 1 lock 787b… 300");
    tale.command_to(1, "A", taking_back);
    replies(tale, "EVAL", "300");
    replies(tale, "EVALSHA", "0");
    if (anew) tale.command_to(1, "A", "EVALSHA a11c… 1 lock 41ea… 300");
    tale.add("node1", Kind::server, {{"what", "hset"}, {"key", lock_key}});
    return tale.is_told("A", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("take_back_overtakes", asks_anew(false)));
  EXPECT_FALSE(is_said("take_back_overtakes", asks_anew(true)));
}

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

TEST(RuleOfCounters, CountedWithTheLockAndNotAfterIt) {
  const auto counts = [](bool with_it) {
    const auto count = [](Wire& tale) {
      tale.add("node1", Kind::server, {{"what", "incrby"}, {"key", "lock:fencing"}});
    };
    Wire tale(5);
    tale.asks_to("A", "acquire").command_to(1, "A", question);
    tale.add("node1", Kind::server, {{"what", "hset"}, {"key", lock_key}});
    if (with_it) count(tale);
    const auto answers = [&](const char* text) {
      tale.add("A", Kind::reply, {{"from", "node1"}, {"command", "EVALSHA"}, {"text", text}});
    };
    answers("300 0");
    tale.command_to(1, "A", "EVALSHA 4a15… 2 lock lock:fencing 787b…");
    count(tale);
    answers("1");
    return tale.is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("counted_after_the_lock", counts(false)));
  EXPECT_FALSE(is_said("counted_after_the_lock", counts(true)));
}

TEST(RuleOfLevels, AReleaseThatIsSentTwiceCountsOnce) {
  const auto leaves_twice = [](const Effects& second) {
    Wire tale;
    tale.takes("A").takes("A").asks_to("A", "release");
    const std::string leaving = "EVALSHA 316f… 1 lock 787b… 4f0a:1";
    tale.add("A", Kind::command, {{"to", "redis"}, {"text", leaving}});
    tale.add("redis", Kind::server, {{"what", "hset"}, {"key", lock_key}});
    tale.add("A", Kind::reply,
             {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "2"}, {"vanished", true}});
    tale.is_told("A", "release", "unknown").asks_to("A", "release");
    return tale.sends("A", leaving, second, "1").is_told("A", "release", "released");
  };
  EXPECT_TRUE(is_said("release_counts_down", leaves_twice({"del"})));
  EXPECT_FALSE(is_said("release_counts_down", leaves_twice({"hset"})));
}

}  // namespace
}  // namespace learning
