// Rules about the levels of a hold, and what is asked and taken back on the way out.
#include <gtest/gtest.h>

#include "learning/rules/rules.h"
#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfLevels, AsksItselfAgainButNotWhoWaits) {
  const auto asks = [](const std::string& who, bool is_over) {
    Wire tale;
    tale.takes("A");
    if (is_over) tale.add("redis", Kind::server, {{"what", "expired"}, {"key", lock_key}});
    tale.asks_to(who, "acquire");
    for (int i = 0; i < 120; ++i) tale.sends(who, "EVALSHA 565e… 1 lock 787b… 2", {}, "0");
    return diagnose_end(Evidence(tale.record), "waited for " + who +
                                                   "'s answer to acquire, and it sent 5001 "
                                                   "commands instead")
        .key;
  };
  EXPECT_EQ(asks("A", true), "asks_itself_again");
  EXPECT_EQ(asks("B", false), "hangs");
}

TEST(RuleOfLevels, StaysOnItsWayOutOfAHoldThatIsOver) {
  Wire tale;
  tale.takes("A").add("redis", Kind::server, {{"what", "expired"}, {"key", lock_key}});
  const std::string leaving = "EVALSHA a79d… 1 lock 787b… 0";
  tale.asks_to("A", "release").sends("A", leaving, {}, "0").is_told("A", "release", "expired");
  tale.asks_to("A", "acquire");
  for (int i = 0; i < 120; ++i) tale.sends("A", leaving, {}, "0");
  tale.is_told("A", "acquire", "died");
  const auto said = rules::asks_itself_again(Evidence(tale.record)).value_or("nothing");
  EXPECT_NE(said.find("A's release was told so"), std::string::npos) << said;
}

TEST(RuleOfLevels, TakesBackTooMuchOnlyWhatItHad) {
  const auto gives_back = [](const Effects& effects) {
    Wire tale;
    tale.takes("A").asks_to("A", "acquire").sends("A", "EVALSHA 565e… 1 lock 787b… 2", {"hset"});
    tale.sends("A", "EVALSHA 316f… 1 lock 787b… 0", effects, "1");
    tale.is_told("A", "acquire", "unknown").asks_to("B", "acquire");
    tale.sends("B", "EVALSHA 565e… 1 lock 41ea… 1", {"hset"}, "300");
    tale.is_told("B", "acquire", "acquired").reads("B", 0).writes("B", 1).writes("A", 1);
    return tale;
  };
  EXPECT_TRUE(is_said("takes_back_too_much", gives_back({"del"})));
  EXPECT_FALSE(is_said("takes_back_too_much", gives_back({"hdel"})));
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
