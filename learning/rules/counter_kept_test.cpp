// Rules about what servers keep of a fencing counter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

// A's release sends `number`, which has `what` done to `key`, and B gets the token that A had.
Wire given_again(const std::string& what, const std::string& key, const std::string& number = "0") {
  Wire tale;
  tale.asks_to("A", "acquire");
  answer_with_token(tale, "A", 1, 8);
  tale.asks_to("A", "release");
  tale.add("A", Kind::command,
           {{"to", "redis"}, {"text", "EVALSHA a79d… 2 lock lock… 787b… " + number}});
  tale.add("redis", Kind::server, {{"what", what}, {"key", key}});
  tale.add("A", Kind::reply, {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "1"}});
  tale.is_told("A", "release", "released").asks_to("B", "acquire");
  answer_with_token(tale, "B", 3, 8);
  return tale;
}

TEST(RuleOfKeptCounter, CounterIsSetBackByWhatAReleaseSent) {
  EXPECT_TRUE(is_said("counter_is_set_back", given_again("set", "lock:fencing")));
  EXPECT_FALSE(is_said("counter_is_set_back", given_again("incrby", "lock:fencing")));
  EXPECT_FALSE(is_said("counter_is_set_back", given_again("set", "lock:fencing", "9")));  // raised
  EXPECT_FALSE(is_said("counter_is_set_back", given_again("set", "lock")));
}

// `lane` asks node4 for a new hold, which counts to `number`.
void counts_at_node4(Wire& tale, const std::string& lane, const std::string& token, int number) {
  tale.asks_to(lane, "acquire")
      .command_to(4, lane, fmt::format("EVALSHA a11c… 2 lock lock:fencing {} 0", token));
  tale.add("node4", Kind::server, {{"what", "incrby"}, {"key", "lock:fencing"}});
  tale.server_on({4}, "hset");
  tale.add(lane, Kind::reply,
           {{"from", "node4"}, {"command", "EVALSHA"}, {"text", fmt::format("300 {}", number)}});
}

// node4 counts B to 3, and B is refused; A's repair sets the counter, and then node4 counts B to
// `next`.
Wire repaired(const std::string& token_of_a, int next, bool restarts = false) {
  Wire tale(5);
  counts_at_node4(tale, "B", "41ea…", 3);
  tale.is_told("B", "acquire", "contended");
  tale.command_to(4, "A", "EVALSHA a11c… 2 lock lock:fencing 787b… 300 begin " + token_of_a);
  tale.add("node4", Kind::server, {{"what", "set"}, {"key", "lock:fencing"}});
  tale.add("A", Kind::reply, {{"from", "node4"}, {"command", "EVALSHA"}, {"text", "300 1"}});
  if (restarts) tale.fault("node4", faults::fault::restarted);
  counts_at_node4(tale, "B", "fc39…", next);
  return tale.is_told("B", "acquire", "contended");
}

TEST(RuleOfKeptCounter, CounterIsSetBackAtOneServerByALateRepair) {
  EXPECT_TRUE(is_remarked("counter_is_set_back", repaired("1", 2)));
  EXPECT_FALSE(is_remarked("counter_is_set_back", repaired("1", 4)));  // to the greater of both
  EXPECT_FALSE(is_remarked("counter_is_set_back", repaired("5", 2)));  // not by that
  EXPECT_FALSE(is_remarked("counter_is_set_back", repaired("1", 1, true)));
}

// node5 counts B to 3, and node4 to `number`. That is told to raise it to `told`, does `what` to
// its counter, or nothing, and gives `answer`.
Wire raised(int number, const std::string& what, const std::string& answer = "1", int told = 3) {
  Wire tale(5);
  counts_at_node4(tale, "B", "41ea…", number);
  tale.sends("B", "EVALSHA a11c… 2 lock lock:fencing 41ea… 0", {}, "300 3", "node5");
  tale.command_to(4, "B", fmt::format("EVALSHA 4a15… 2 lock lock:fencing 41ea… {}", told));
  if (!what.empty()) tale.add("node4", Kind::server, {{"what", what}, {"key", "lock:fencing"}});
  tale.add("B", Kind::reply, {{"from", "node4"}, {"command", "EVALSHA"}, {"text", answer}});
  return tale.is_told("B", "acquire", "acquired");
}

TEST(RuleOfKeptCounter, RaiseStoresNothing) {
  EXPECT_TRUE(is_said("raise_stores_nothing", raised(2, "")));
  EXPECT_FALSE(is_said("raise_stores_nothing", raised(2, "set")));
  EXPECT_FALSE(is_said("raise_stores_nothing", raised(3, "")));  // that is its count already
  EXPECT_FALSE(is_said("raise_stores_nothing", raised(2, "", "-1")));
  EXPECT_FALSE(is_said("raise_stores_nothing", raised(2, "", "1", 300)));  // that is no count
}

// What another hold counted in between may be the number that was to be stored.
TEST(RuleOfKeptCounter, RaiseStoresNothingButNotWhereAnotherHoldCountedMeanwhile) {
  Wire tale(5);
  counts_at_node4(tale, "B", "41ea…", 2);
  tale.sends("B", "EVALSHA a11c… 2 lock lock:fencing 41ea… 0", {}, "300 3", "node5");
  counts_at_node4(tale, "A", "787b…", 3);
  tale.sends("B", "EVALSHA 4a15… 2 lock lock:fencing 41ea… 3", {}, "1", "node4");
  EXPECT_FALSE(is_said("raise_stores_nothing", tale));
}

// A majority may be there without node4, which is raised before its first answer is seen.
TEST(RuleOfKeptCounter, RaiseStoresNothingButNotWhereItIsSeenBeforeTheFirstAnswer) {
  Wire tale(5);
  tale.asks_to("B", "acquire").command_to(4, "B", "EVALSHA a11c… 2 lock lock:fencing 41ea… 0");
  const auto counts = [&](const char* what) {
    tale.add("node4", Kind::server, {{"what", what}, {"key", "lock:fencing"}});
  };
  counts("incrby");
  tale.sends("B", "EVALSHA a11c… 2 lock lock:fencing 41ea… 0", {}, "300 3", "node5")
      .command_to(4, "B", "EVALSHA 4a15… 2 lock lock:fencing 41ea… 3");
  counts("set");
  for (const auto* answer : {"300 2", "1"}) {
    tale.add("B", Kind::reply, {{"from", "node4"}, {"command", "EVALSHA"}, {"text", answer}});
  }
  EXPECT_FALSE(is_said("raise_stores_nothing", tale));
}

TEST(RuleOfKeptCounter, CountsInTheMarker) {
  const auto counts_in = [](const std::string& key, const std::string& keys) {
    Wire tale(5);
    tale.asks_to("A", "acquire").command_to(1, "A", "EVALSHA a11c… " + keys + " 787b… 300");
    tale.add("node1", Kind::server, {{"what", "incrby"}, {"key", key}});
    tale.add("A", Kind::reply, {{"from", "node1"}, {"command", "EVALSHA"}, {"text", "300 2"}});
    return tale;
  };
  EXPECT_TRUE(
      is_remarked("counts_in_the_marker", counts_in("marker", "3 lock lock:fencing marker")));
  EXPECT_FALSE(
      is_remarked("counts_in_the_marker", counts_in("lock:fencing", "3 lock lock:fencing marker")));
  EXPECT_TRUE(is_remarked("counts_in_the_marker",
                          counts_in("redlock:member", "3 lock lock:fencing redl…mber")));
  // What is cut out of an argument may be anything, and is no key.
  EXPECT_FALSE(is_remarked("counts_in_the_marker",
                           counts_in("warm-up:fencing", "3 lock lock:fencing redl…mber vm, …")));
  // One counter for all locks counts as well.
  EXPECT_FALSE(is_remarked("counts_in_the_marker", counts_in("fencing", "2 lock fencing")));
}

// node1 counts up `key` for A, and B sends something with `others` as its keys meanwhile.
Wire counts_up(const std::string& key, const std::string& keys, const std::string& others = "",
               bool its_own_too = false) {
  Wire tale(5);
  tale.asks_to("A", "acquire").command_to(1, "A", "EVALSHA a11c… " + keys + " 787b… 300");
  if (!others.empty()) tale.command_to(1, "B", "EVALSHA a11c… " + others + " 41ea… 300");
  tale.add("node1", Kind::server, {{"what", "incrby"}, {"key", key}});
  if (its_own_too) tale.add("node1", Kind::server, {{"what", "incrby"}, {"key", "lock:fencing"}});
  tale.add("A", Kind::reply, {{"from", "node1"}, {"command", "EVALSHA"}, {"text", "300 2"}});
  return tale;
}

TEST(RuleOfKeptCounter, CounterIsNotAmongTheKeys) {
  const std::string name = "counter_is_not_among_the_keys";
  const std::string keys = "2 lock lock:fencing";
  EXPECT_TRUE(is_said(name, counts_up("fencing", keys)));
  EXPECT_TRUE(is_remarked(name, counts_up("fencing", keys)));
  EXPECT_FALSE(is_said(name, counts_up("fencing", "2 lock fencing")));
  EXPECT_FALSE(is_said(name, counts_up("lock:fencing", keys)));
  EXPECT_FALSE(is_said(name, counts_up("warm-up:fencing", keys)));
  EXPECT_FALSE(is_said(name, counts_up("other:fencing", keys, "2 other other:fencing")));
  EXPECT_FALSE(is_said(name, counts_up("visits", keys, "", true)));  // it counts something else
  EXPECT_FALSE(is_said(name, counts_up("redlock:member", "3 lock lock:fencing redl…mber")));
}

}  // namespace
}  // namespace learning
