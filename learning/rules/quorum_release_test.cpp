// Rules about giving the lock back on several servers.
#include <gtest/gtest.h>

#include <algorithm>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::five;
using faults::Kind;

// A takes the lock on all five servers, and gives it back on some.
Wire given_back_on(const std::vector<int>& nodes, const std::string& outcome) {
  Wire tale(5);
  tale.acquires_on(five, "A");
  tale.asks_to("A", "release");
  for (const int node : nodes) {
    tale.sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, "1", "node" + std::to_string(node));
  }
  return tale.is_told("A", "release", outcome);
}

TEST(RuleOfQuorumRelease, AsksTooFew) {
  EXPECT_TRUE(is_said("release_asks_too_few", given_back_on({1, 2}, "released")));
  EXPECT_FALSE(is_said("release_asks_too_few", given_back_on({1, 2, 3}, "released")));
}

// The same, and the answers come when the release has been answered.
Wire given_back_unheard(const std::vector<int>& nodes, const std::string& outcome) {
  Wire tale(5);
  tale.acquires_on(five, "A");
  tale.asks_to("A", "release");
  for (const int node : nodes) {
    tale.sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, {}, "node" + std::to_string(node));
  }
  tale.is_told("A", "release", outcome);
  for (const int node : nodes) {
    tale.add("A", Kind::reply,
             {{"from", "node" + std::to_string(node)}, {"command", "EVALSHA"}, {"text", "1"}});
  }
  return tale;
}

TEST(RuleOfQuorumRelease, DoesNotWait) {
  EXPECT_TRUE(is_said("release_does_not_wait", given_back_unheard({1, 2, 3}, "unknown")));
  EXPECT_FALSE(is_said("release_does_not_wait", given_back_unheard({1, 2}, "unknown")));
  EXPECT_FALSE(is_said("release_does_not_wait", given_back_on({1, 2, 3}, "unknown")));
}

TEST(RuleOfQuorumRelease, WantsAllButNotWhereTheAnswersCameTooLate) {
  EXPECT_TRUE(is_said("release_wants_all", given_back_on({1, 2, 3}, "unknown")));
  EXPECT_FALSE(is_said("release_wants_all", given_back_on({1, 2}, "unknown")));
  EXPECT_FALSE(is_said("release_wants_all", given_back_on({1, 2, 3}, "released")));
  EXPECT_FALSE(is_said("release_wants_all", given_back_unheard({1, 2, 3}, "unknown")));
}

TEST(RuleOfQuorumRelease, SaysReleasedBeforeAMajorityHasSaidSo) {
  EXPECT_TRUE(is_said("release_of_too_few", given_back_on({1, 2}, "released")));
  EXPECT_TRUE(is_said("release_of_too_few", given_back_unheard(five, "released")));
  EXPECT_FALSE(is_said("release_of_too_few", given_back_on({1, 2, 3}, "released")));
  EXPECT_FALSE(is_said("release_of_too_few", given_back_on({1, 2}, "unknown")));
}

TEST(RuleOfQuorumRelease, DeniesWhatAFewHaveMissed) {
  const auto told = [](const std::vector<int>& missed, const std::string& outcome) {
    Wire tale(5);
    tale.acquires_on(five, "A");
    tale.asks_to("A", "release");
    for (const int node : five) {
      const bool has_missed = std::find(missed.begin(), missed.end(), node) != missed.end();
      tale.sends("A", "EVALSHA 22bb… 1 lock 787b…", has_missed ? Effects{} : Effects{"del"},
                 has_missed ? "-1" : "1", "node" + std::to_string(node));
    }
    return tale.is_told("A", "release", outcome);
  };
  EXPECT_TRUE(is_said("few_deny_a_release", told({5}, "stolen")));
  EXPECT_FALSE(is_said("few_deny_a_release", told({3, 4, 5}, "stolen")));
  EXPECT_FALSE(is_said("few_deny_a_release", told({5}, "released")));
}

TEST(RuleOfQuorumRelease, LeavesServersOut) {
  EXPECT_TRUE(is_said("release_leaves_servers_out", given_back_on({1, 2, 3, 4}, "released")));
  EXPECT_FALSE(is_said("release_leaves_servers_out", given_back_on(five, "released")));
}

TEST(RuleOfQuorumRelease, WaitsForAMajorityOnly) {
  const auto answers_after = [](int events) {
    Wire tale(5);
    const auto asks = [&](const std::string& text, const std::string& effect, const char* reply) {
      for (const auto* node : {"node1", "node2", "node3", "node4"}) {
        tale.sends("A", text, {effect}, reply, node);
      }
    };
    tale.asks_to("A", "acquire");
    asks("EVALSHA a11c… 1 lock 787b… 300", "hset", "300");
    tale.is_told("A", "acquire", "acquired").asks_to("A", "release");
    asks("EVALSHA 316f… 1 lock 787b…", "del", "1");
    return tale.time_passes(events).is_told("A", "release", "released");
  };
  EXPECT_TRUE(is_remarked("release_waits_for_all", answers_after(30)));
  EXPECT_FALSE(is_remarked("release_waits_for_all", answers_after(10)));
}

}  // namespace
}  // namespace learning
