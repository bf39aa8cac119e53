// Rules about a hold that is handed on to another part of the same client.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfJoin, IsRefusedOnlyWhileItsHoldStands) {
  const auto joins = [](bool stands, const std::string& outcome) {
    Wire tale;
    tale.takes("A");
    if (!stands) tale.add("redis", Kind::server, {{"what", "del"}, {"key", lock_key}});
    tale.asks_to("A", "acquire", {{"join", "787b"}, {"thread", 2}});
    return tale.is_told("A", "acquire", outcome);
  };
  EXPECT_TRUE(is_said("join_is_refused", joins(true, "contended")));
  EXPECT_FALSE(is_said("join_is_refused", joins(false, "contended")));
  EXPECT_TRUE(is_remarked("joins_what_is_over", joins(false, "acquired")));
  EXPECT_FALSE(is_remarked("joins_what_is_over", joins(true, "acquired")));
}

// A has had the hold 787b, gives it back if so, has another one, and joins with `token`.
Wire joins_inside(bool gave_back, const std::string& token, const std::string& outcome,
                  bool told = false, int events = 1) {
  Wire tale;
  int id = 0;
  const auto takes = [&](const std::string& hold) {
    tale.asks_to("A", "acquire", {{"lease_ms", 60'000}});
    tale.sends("A", "EVALSHA 565e… 1 lock " + hold, {"hset"}, "60000");
    tale.add("A", Kind::answer,
             {{"op", "acquire"}, {"id", ++id}, {"outcome", "acquired"}, {"token", hold}});
  };
  takes("787b");
  if (gave_back) {
    tale.asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock 787b", {"del"}, "1");
    tale.is_told("A", "release", "released");
    ++id;
    takes("41ea");
  }
  tale.asks_to("A", "acquire", {{"join", token}}).time_passes(events);
  if (told) tale.add("A", Kind::told, {{"event", "lost"}});
  return tale.is_told("A", "acquire", outcome);
}

TEST(RuleOfJoin, AnOldTokenLetsNobodyInButThatOfTheHoldDoes) {
  EXPECT_TRUE(is_remarked("joins_by_an_old_token", joins_inside(true, "787b", "acquired")));
  EXPECT_FALSE(is_remarked("joins_by_an_old_token", joins_inside(true, "41ea", "acquired")));
  EXPECT_FALSE(is_remarked("joins_by_an_old_token", joins_inside(true, "787b", "contended")));
  EXPECT_FALSE(is_remarked("joins_by_an_old_token", joins_inside(false, "787b", "acquired")));
}

TEST(RuleOfJoin, ARefusalEndsNoHoldButALeaseMay) {
  const auto refused = [](bool told, int events) {
    return joins_inside(true, "787b", "contended", told, events);
  };
  EXPECT_TRUE(is_remarked("refused_join_ends_the_hold", refused(true, 1)));
  EXPECT_FALSE(is_remarked("refused_join_ends_the_hold", refused(false, 1)));
  EXPECT_FALSE(is_remarked("refused_join_ends_the_hold", refused(true, 4'000)));
}

}  // namespace
}  // namespace learning
