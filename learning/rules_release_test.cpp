// Rules about giving the lock back.
#include <gtest/gtest.h>

#include "learning/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfRelease, DeletesThenCompares) {
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

TEST(RuleOfRelease, RemovesNothing) {
  const auto with = [](const Effects& effects) {
    return Wire()
        .takes("A")
        .asks_to("A", "release")
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", effects, "1")
        .is_told("A", "release", "released");
  };
  EXPECT_TRUE(is_said("released_nothing", with({})));
  EXPECT_FALSE(is_said("released_nothing", with({"del"})));
  EXPECT_TRUE(
      is_said("released_nothing",
              Wire().takes("A").asks_to("A", "release").is_told("A", "release", "released")));
  EXPECT_FALSE(is_said("released_nothing", Wire()
                                               .asks_to("A", "acquire")
                                               .is_told("A", "acquire", "contended")
                                               .asks_to("A", "release")
                                               .is_told("A", "release", "released")));
}

TEST(RuleOfRelease, RemovesSomethingThoughARenewalIsUnderWay) {
  Wire tale;
  tale.takes("A").asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock 787b…", {});
  tale.sends("A", as_renewal, {"del"});  // so it looks
  for (int i = 0; i < 2; ++i) {
    tale.add("A", Kind::reply, {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "1"}});
  }
  EXPECT_FALSE(is_said("released_nothing", tale.is_told("A", "release", "released")));
}

TEST(RuleOfRelease, RemovesAndDenies) {
  const auto answered = [](const std::string& outcome) {
    return Wire()
        .takes("A")
        .asks_to("A", "release")
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, "0")
        .is_told("A", "release", outcome);
  };
  EXPECT_TRUE(is_said("removed_and_denied", answered("expired")));
  EXPECT_FALSE(is_said("removed_and_denied", answered("released")));
}

TEST(RuleOfRelease, TakesBackWhatItDidNotGet) {
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

TEST(RuleOfRelease, DeniesWhatItDidNotHear) {
  const auto answered = [](bool heard) {
    Wire tale;
    tale.takes("A").asks_to("A", "release").sends("A", "DEL lock", {"del"}, "1");
    if (!heard) {
      tale.add("A", faults::Kind::fault,
               {{"what", faults::fault::reset},
                {"side", "reply"},
                {"command", "DEL"},
                {"server", "redis"}});
    }
    return tale.sends("A", "DEL lock", {}, "0").is_told("A", "release", "not_held");
  };
  EXPECT_TRUE(is_said("denies_what_it_did_not_hear", answered(false)));
  EXPECT_FALSE(is_said("denies_what_it_did_not_hear", answered(true)));
}

TEST(RuleOfRelease, AnErrorSaysNothingOfWhatItCompares) {
  const auto answered = [](const std::string& reply, const std::string& outcome) {
    Wire tale;
    tale.takes("A").asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock 787b…", {}, reply);
    return tale.is_told("A", "release", outcome);
  };
  EXPECT_TRUE(is_said("compares_with_something_else", answered("-1", "stolen")));
  EXPECT_FALSE(is_said("compares_with_something_else", answered("error READONLY no", "error")));
}

TEST(RuleOfRelease, WaitsForARenewal) {
  const auto after = [](int events) {
    return Wire()
        .takes("A")
        .sends("A", as_renewal, {})
        .asks_to("A", "release")
        .time_passes(events)
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", {}, "0")
        .is_told("A", "release", "expired");
  };
  EXPECT_TRUE(is_said("release_waits_for_renewal", after(12)));
  EXPECT_FALSE(is_said("release_waits_for_renewal", after(0)));
}

TEST(RuleOfRelease, TakesSilenceForAnAnswer) {
  const auto told = [](const std::string& outcome, bool vanishes) {
    Wire tale;
    tale.takes("A").asks_to("A", "release").sends("A", "GET lock", {}, "787b…");
    if (vanishes) tale.vanishes();
    return tale.is_told("A", "release", outcome);
  };
  EXPECT_TRUE(is_said("silence_taken_for_an_answer", told("expired", true)));
  EXPECT_FALSE(is_said("silence_taken_for_an_answer", told("expired", false)));
  EXPECT_FALSE(is_said("silence_taken_for_an_answer", told("unknown", true)));
}

TEST(RuleOfRelease, EndsALaterHoldButNotByWhatWasSentForThat) {
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
