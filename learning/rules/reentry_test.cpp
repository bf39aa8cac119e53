// Rules about a thread that takes the lock it has.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

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
    tale.asks_to("A", "acquire").sends("A", "EVALSHA 565e… 1 lock " + token, {"hset"}, "300");
    return tale.is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_remarked("reentry_brings_it_back", entered_again(true, "787b…")));
  EXPECT_FALSE(is_remarked("reentry_brings_it_back", entered_again(false, "787b…")));
  EXPECT_FALSE(is_remarked("reentry_brings_it_back", entered_again(true, "41ea…")));
}

}  // namespace
}  // namespace learning
