// Rules about what a lock tells of its answers.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfOutcome, RefusedWhatIsFreeButNotWhatWasHeldForAWhile) {
  const auto refused = [](Wire tale) {
    return tale.asks_to("B", "acquire")
        .sends("B", "SET lock 41ea… NX PX 300", {}, "nil")
        .is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("refused_what_is_free", refused(Wire())));
  EXPECT_FALSE(is_said("refused_what_is_free", refused(Wire().takes("A"))));
  Wire free_again;
  free_again.takes("A").asks_to("A", "release").sends("A", "DEL lock", {"del"}, "1");
  EXPECT_TRUE(is_said("refused_what_is_free", refused(free_again)));
}

// A's call, which goes as it may: nothing is sent.
Wire& does(Wire& tale, const std::string& operation, const std::string& outcome, int thread = 1) {
  return tale.asks_to("A", operation, {{"thread", thread}}).is_told("A", operation, outcome);
}

TEST(RuleOfOutcome, ForgetsNoReleaseButWhatMayStillBeThereIsNotForgotten) {
  const auto then = [](const std::vector<std::pair<std::string, std::string>>& calls,
                       int thread = 1) {
    Wire tale;
    for (const auto& [operation, outcome] : calls) does(tale, operation, outcome);
    return does(tale, "release", "expired", thread);
  };
  EXPECT_TRUE(
      is_remarked("forgets_no_release", then({{"acquire", "acquired"}, {"release", "released"}})));
  EXPECT_FALSE(
      is_remarked("forgets_no_release", then({{"acquire", "acquired"}, {"release", "unknown"}})));
  EXPECT_FALSE(
      is_remarked("forgets_no_release", then({{"acquire", "acquired"}, {"release", "error"}})));
  EXPECT_FALSE(is_remarked("forgets_no_release", then({{"acquire", "acquired"}})));
  EXPECT_FALSE(is_remarked(
      "forgets_no_release",
      then({{"acquire", "acquired"}, {"acquire", "acquired"}, {"release", "still_held"}})));
  EXPECT_FALSE(is_remarked(
      "forgets_no_release",
      then({{"acquire", "acquired"}, {"release", "released"}, {"acquire", "unknown"}})));
}

TEST(RuleOfOutcome, ALossIsNotCalledNotHeldButAnotherThreadHeldNothing) {
  const auto told = [](const std::string& command, int thread = 1, bool had_given_back = false) {
    Wire tale;
    tale.takes("A");
    if (had_given_back) does(tale, "release", "released");
    tale.add("redis", Kind::server, {{"what", "expired"}, {"key", lock_key}});
    tale.asks_to("A", "release", {{"thread", thread}}).sends("A", command, {}, "nil");
    return tale.is_told("A", "release", "not_held");
  };
  EXPECT_TRUE(is_remarked("loss_called_not_held", told("GET lock")));
  EXPECT_TRUE(is_remarked("loss_called_not_held", told("EVALSHA 316f… 1 lock 787b…")));
  EXPECT_FALSE(is_remarked("loss_called_not_held", told("DEL lock")));  // it cannot know more
  EXPECT_FALSE(is_remarked("loss_called_not_held", told("GET lock", 2)));
  EXPECT_FALSE(is_remarked("loss_called_not_held", told("GET lock", 1, true)));
}

TEST(RuleOfOutcome, EntersWhatItLeavesButNotWhereItWasInsideTwiceOrAnotherIs) {
  const auto left = [](const std::string& first, int levels, int thread = 1) {
    Wire tale;
    for (int i = 0; i < levels; ++i) does(tale, "acquire", "acquired");
    if (thread != 1) does(tale, "acquire", "acquired", thread);
    does(does(tale, "release", first), "acquire", "acquired");
    return does(tale, "release", "still_held");
  };
  EXPECT_TRUE(is_said("enters_what_it_leaves", left("unknown", 1)));
  EXPECT_FALSE(is_said("enters_what_it_leaves", left("unknown", 2)));
  EXPECT_FALSE(is_said("enters_what_it_leaves", left("still_held", 1)));
  EXPECT_FALSE(is_said("enters_what_it_leaves", left("unknown", 1, 2)));
}

TEST(RuleOfOutcome, TakesItAndSaysNo) {
  const auto asked = [](const Effects& effects, const std::string& reply) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "EVALSHA 24e8… 1 lock 787b… 1 300 begin", effects, reply)
        .is_told("A", "acquire", "unknown");
  };
  EXPECT_TRUE(is_said("takes_it_and_says_no", asked({"hset", "expire"}, "nil")));
  EXPECT_FALSE(is_said("takes_it_and_says_no", asked({"hset", "expire"}, "300")));
  EXPECT_FALSE(is_said("takes_it_and_says_no", asked({}, "nil")));
}

}  // namespace
}  // namespace learning
