// Rules about a thread that takes the lock it has, and about a hold that is handed on.
#include <gtest/gtest.h>

#include "learning/rules.h"
#include "learning/rules_test.h"

namespace learning {
namespace {

using faults::Kind;
using nlohmann::json;

TEST(RuleOfReentry, IsNotAnotherThreads) {
  const json second{{"thread", 2}};
  const auto asked_by = [](const json& more, const std::string& outcome) {
    return Wire().takes("A").asks_to("A", "acquire", more).is_told("A", "acquire", outcome);
  };
  EXPECT_TRUE(is_said("owner_is_the_process", asked_by(second, "acquired")));
  EXPECT_FALSE(is_said("owner_is_the_process", asked_by(json::object(), "acquired")));
  const json waiting{{"wait_ms", 100}, {"must_get_in", true}};
  auto waiting_beside = waiting;
  waiting_beside["thread"] = 2;
  EXPECT_TRUE(is_said("waits_for_itself", asked_by(waiting, "contended")));
  EXPECT_FALSE(is_said("waits_for_itself", asked_by(waiting_beside, "contended")));
}

TEST(RuleOfReentry, ReleaseEntersAnothers) {
  const auto of = [](const std::string& holder) {
    return Wire()
        .takes(holder)
        .asks_to("A", "release")
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", {}, "2")
        .is_told("A", "release", "still_held");
  };
  EXPECT_TRUE(is_said("release_enters_anothers", of("B")));
  EXPECT_FALSE(is_said("release_enters_anothers", of("A")));
}

// A takes the lock and gives it back as often as it is told something.
Wire taken_and_given_back(int taken, const std::vector<std::string>& outcomes) {
  Wire tale;
  tale.takes("A");
  for (int i = 1; i < taken; ++i) {
    tale.asks_to("A", "acquire").sends("A", "EVALSHA 11aa… 1 lock 787b… 1 2", {}, "300");
    tale.is_told("A", "acquire", "acquired");
  }
  for (const auto& outcome : outcomes) {
    tale.asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock 787b…", {}, "1");
    tale.is_told("A", "release", outcome);
  }
  return tale;
}

TEST(RuleOfReentry, InnerSaysReleased) {
  EXPECT_TRUE(is_said("inner_says_released", taken_and_given_back(2, {"released"})));
  EXPECT_FALSE(is_said("inner_says_released", taken_and_given_back(2, {"still_held"})));
}

TEST(RuleOfReentry, LastReleaseKeepsIt) {
  EXPECT_TRUE(is_said("last_release_keeps_it", taken_and_given_back(1, {"still_held"})));
  EXPECT_FALSE(is_said("last_release_keeps_it", taken_and_given_back(2, {"still_held"})));
}

TEST(RuleOfReentry, ChangesItsToken) {
  const auto under = [](const std::string& token) {
    return Wire()
        .takes("A")
        .asks_to("A", "acquire")
        .sends("A", "EVALSHA 11aa… 1 lock " + token + " 1 2", {}, "300")
        .is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("reentry_changes_token", under("fc39…")));
  EXPECT_FALSE(is_said("reentry_changes_token", under("787b…")));
}

TEST(RuleOfReentry, AddsLeasesUp) {
  const auto given = [](const std::string& lease) {
    return Wire()
        .takes("A", "787b…", {{"lease_ms", 300}})
        .asks_to("A", "acquire", {{"lease_ms", 60'000}})
        .sends("A", "EVALSHA 11aa… 1 lock 787b… 1 2 60000", {"expire"}, lease)
        .is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("leases_added_up", given("60290")));
  EXPECT_FALSE(is_said("leases_added_up", given("60000")));
}

TEST(RuleOfReentry, BringsItBackButNotWhereItIsThereOrBegunAnew) {
  const auto entered_again = [](bool removed, const std::string& token) {
    Wire tale;
    tale.takes("A", "787b…");
    if (removed) tale.add("redis", Kind::server, {{"what", "del"}, {"key", lock_key}});
    tale.asks_to("A", "acquire").sends("A", "EVALSHA 9535… 1 lock " + token, {"hset"}, "300");
    return tale.is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_remarked("reentry_brings_it_back", entered_again(true, "787b…")));
  EXPECT_FALSE(is_remarked("reentry_brings_it_back", entered_again(false, "787b…")));
  EXPECT_FALSE(is_remarked("reentry_brings_it_back", entered_again(true, "41ea…")));
}

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
    tale.sends("A", "EVALSHA 9535… 1 lock " + hold, {"hset"}, "60000");
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

TEST(RuleOfLevels, AsksItselfAgainButNotWhoWaits) {
  const auto asks = [](const std::string& who, bool is_over) {
    Wire tale;
    tale.takes("A");
    if (is_over) tale.add("redis", faults::Kind::server, {{"what", "expired"}, {"key", lock_key}});
    tale.asks_to(who, "acquire");
    for (int i = 0; i < 120; ++i) tale.sends(who, "EVALSHA 9535… 1 lock 787b… 2", {}, "0");
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
  tale.takes("A").add("redis", faults::Kind::server, {{"what", "expired"}, {"key", lock_key}});
  const std::string leaving = "EVALSHA bec2… 1 lock 787b… 0";
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
    tale.takes("A").asks_to("A", "acquire").sends("A", "EVALSHA 9535… 1 lock 787b… 2", {"hset"});
    tale.sends("A", "EVALSHA 316f… 1 lock 787b… 0", effects, "1");
    tale.is_told("A", "acquire", "unknown").asks_to("B", "acquire");
    tale.sends("B", "EVALSHA 9535… 1 lock 41ea… 1", {"hset"}, "300");
    tale.is_told("B", "acquire", "acquired").reads("B", 0).writes("B", 1).writes("A", 1);
    return tale;
  };
  EXPECT_TRUE(is_said("takes_back_too_much", gives_back({"del"})));
  EXPECT_FALSE(is_said("takes_back_too_much", gives_back({"hdel"})));
}

TEST(RuleOfReentry, ATokenIsTheHoldsAndNotTheObjects) {
  const auto two_threads = [](const std::string& of_the_second) {
    Wire tale;
    tale.takes("A", "787b…", {{"thread", 1}});
    return tale.takes("A", of_the_second, {{"thread", 2}});
  };
  EXPECT_TRUE(is_said("token_of_the_lock_object", two_threads("787b…")));
  EXPECT_FALSE(is_said("token_of_the_lock_object", two_threads("41ea…")));
}

TEST(RuleOfReentry, AReleaseThatIsSentTwiceCountsOnce) {
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
