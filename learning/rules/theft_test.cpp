// Rules about a lock that is removed by who does not own it.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfTheft, IsNotToBlameForWhatAnAcquireRemoves) {
  const auto by = [](const std::string& operation) {
    return Wire()
        .takes("B", "fc39…")
        .asks_to("A", operation)
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, "1")
        .is_told("A", operation, operation == "release" ? "released" : "acquired");
  };
  EXPECT_TRUE(is_said("script_does_not_compare", by("release")));
  EXPECT_FALSE(is_said("script_does_not_compare", by("acquire")));
}

// Whoever took it is none of the story's clients.
TEST(RuleOfTheft, TakesAStrangersTokenForItsOwn) {
  const auto gives_back = [](bool taken_by_a_client, const Effects& effects) {
    Wire tale;
    tale.takes("A").time_passes(1);
    if (taken_by_a_client) {
      tale.asks_to("B", "acquire").sends("B", "SET lock fc39… NX PX 300", {"del", "set"}, "OK");
      tale.is_told("B", "acquire", "acquired");
    } else {
      for (const auto* what : {"del", "set"}) {
        tale.add("redis", Kind::server, {{"what", what}, {"key", lock_key}});
      }
    }
    return tale.asks_to("A", "release")
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", effects, effects.empty() ? "-1" : "1")
        .is_told("A", "release", effects.empty() ? "stolen" : "released");
  };
  EXPECT_TRUE(is_said("compares_part_of_the_token", gives_back(false, {"del"})));
  EXPECT_FALSE(is_said("script_does_not_compare", gives_back(false, {"del"})));
  EXPECT_FALSE(is_said("compares_part_of_the_token", gives_back(false, {})));
  EXPECT_FALSE(is_said("compares_part_of_the_token", gives_back(true, {"del"})));
}

TEST(RuleOfTheft, DeletesThenCompares) {
  const auto by = [](const std::string& command) {
    return Wire()
        .takes("B", "fc39…")
        .asks_to("A", "release")
        .sends("A", command, {"del"}, "fc39…")
        .is_told("A", "release", "stolen");
  };
  EXPECT_TRUE(is_said("deletes_then_compares", by("GETDEL lock")));
  EXPECT_FALSE(is_said("deletes_then_compares", by("DEL lock")));
}

TEST(RuleOfTheft, TakesBackWhatItDidNotGet) {
  const auto takes_back = [](const std::string& answer) {
    Wire tale;
    tale.takes("A").asks_to("B", "acquire").sends("B", "EVALSHA 11aa… 1 lock 41ea…", {}, answer);
    tale.sends("B", "EVALSHA 22bb… 1 lock", {"del"}, "1").is_told("B", "acquire", "contended");
    tale.writes("A", 1);
    return tale;
  };
  EXPECT_TRUE(is_said("acquire_deletes", takes_back("0")));
  EXPECT_FALSE(is_said("acquire_deletes", takes_back("1")));
  EXPECT_FALSE(is_said("deletes_then_compares", takes_back("1")));
}

TEST(RuleOfTheft, EndsALaterHoldButNotByWhatWasSentForThat) {
  const auto gives_back = [](bool first_comes_late) {
    const std::string release = "EVALSHA 316f… 1 lock 787b… 4f0a:1";
    Wire tale;
    tale.takes("A").asks_to("A", "release").sends("A", release, {});
    tale.is_told("A", "release", "unknown").asks_to("A", "release");
    tale.sends("A", release, {"del"}, "1").is_told("A", "release", "released").takes("A", "41ea…");
    if (!first_comes_late) tale.asks_to("A", "release").sends("A", release, {"del"}, "1");
    if (first_comes_late) tale.add("redis", Kind::server, {{"what", "del"}, {"key", lock_key}});
    return tale;
  };
  EXPECT_TRUE(is_said("ends_a_later_hold", gives_back(true)));
  EXPECT_FALSE(is_said("ends_a_later_hold", gives_back(false)));
}

}  // namespace
}  // namespace learning
