// Rules about giving the lock back.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

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

TEST(RuleOfRelease, AnErrorSaysNothingOfWhatItCompares) {
  const auto answered = [](const std::string& reply, const std::string& outcome) {
    Wire tale;
    tale.takes("A").asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock 787b…", {}, reply);
    return tale.is_told("A", "release", outcome);
  };
  EXPECT_TRUE(is_said("compares_with_something_else", answered("-1", "stolen")));
  EXPECT_FALSE(is_said("compares_with_something_else", answered("error READONLY no", "error")));
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

}  // namespace
}  // namespace learning
