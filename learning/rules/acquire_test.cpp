// Rules about taking the lock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfAcquire, AsksForAnotherKey) {
  const auto on = [](const std::string& key) {
    return Wire().asks_to("A", "acquire").sends("A", "SET " + key + " 787b… NX PX 300", {}, "OK");
  };
  EXPECT_TRUE(is_said("asks_for_another_key", on("locks")));
  EXPECT_FALSE(is_said("asks_for_another_key", on("lock")));
}

TEST(RuleOfAcquire, Counts) {
  const auto counted = [](const std::string& reply) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "INCR lock", {"incrby"}, reply)
        .is_told("A", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("takes_by_counting", counted("2")));
  EXPECT_FALSE(is_said("takes_by_counting", counted("1")));
}

TEST(RuleOfAcquire, WritesOverWhatItIsRefusedWhereOnlyTheAnswerTells) {
  const auto refused_by = [](const std::string& command, const std::vector<std::string>& effects) {
    return Wire()
        .takes("A")
        .asks_to("B", "acquire")
        .sends("B", command, effects, "787b…")
        .is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("refusal_writes_over", refused_by("GETSET lock 41ea…", {"set"})));
  EXPECT_TRUE(is_said("refusal_writes_over", refused_by("SET lock 41ea… PX 300 GET", {"set"})));
  EXPECT_FALSE(is_said("refusal_writes_over", refused_by("SET lock 41ea… PX 300 NX GET", {})));
  EXPECT_FALSE(is_said("refusal_writes_over", refused_by("GETSET other 41ea…", {"set"})));
}

TEST(RuleOfAcquire, WritesOverNothingWhereTheWriteMayBeAnothersOrThePlaceIsItsOwn) {
  // B's changes nothing; C's is on its way at the same time, or was lost before.
  const auto beside_one_of_c = [](bool is_over) {
    Wire tale;
    tale.takes("A").asks_to("C", "acquire").sends("C", "SET lock 5c1d… PX 300", {});
    if (is_over) tale.sends("C", "GET lock", {}, "787b…");
    tale.asks_to("B", "acquire");
    tale.sends("B", "SET lock 41ea… GET PX 300", {"set"}, "787b…");
    tale.add("C", Kind::reply, {{"from", "redis"}, {"command", "SET"}, {"text", "OK"}});
    return tale.is_told("B", "acquire", "contended");
  };
  EXPECT_FALSE(is_said("refusal_writes_over", beside_one_of_c(false)));
  EXPECT_TRUE(is_said("refusal_writes_over", beside_one_of_c(true)));
  const auto again = Wire()
                         .takes("A")
                         .asks_to("A", "acquire")
                         .sends("A", "GETSET lock 787b…", {"set"}, "787b…")
                         .is_told("A", "acquire", "contended");
  EXPECT_FALSE(is_said("refusal_writes_over", again));
}

// The value is that of whoever was refused before.
TEST(RuleOfAcquire, WritesOverAndNamesNobodyWhoseValueItIsNot) {
  Wire tale;
  tale.takes("A").asks_to("B", "acquire").sends("B", "GETSET lock 41ea…", {}, "787b…");
  tale.is_told("B", "acquire", "contended").asks_to("C", "acquire");
  tale.sends("C", "GETSET lock 5c1d…", {"set"}, "41ea…").is_told("C", "acquire", "contended");
  EXPECT_FALSE(is_said("refusal_writes_over", tale));
}

TEST(RuleOfAcquire, NamesTheLockWhereAScriptLooksForNoKey) {
  const auto released_by = [](const std::string& words) {
    return Wire()
        .takes("A")
        .asks_to("A", "release")
        .sends("A", "EVALSHA 316f… 1 " + words, {}, "0")
        .is_told("A", "release", "expired");
  };
  EXPECT_TRUE(is_said("asks_for_another_key", released_by("787b… lock")));
  EXPECT_FALSE(is_said("asks_for_another_key", released_by("lock 787b…")));
}

TEST(RuleOfAcquire, TakesWhatIsOverdue) {
  const auto after = [](const std::string& found) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "GET lock", {}, found)
        .sends("A", "SET lock 1700000300", {"set"}, "OK");
  };
  EXPECT_TRUE(is_said("takes_what_is_overdue", after("1700000000")));
  EXPECT_FALSE(is_said("takes_what_is_overdue", after("nil")));
}

TEST(RuleOfAcquire, TakesWhatIsOverdueButNotWhatIsItsOwn) {
  const auto removes = [](const std::string& written, const std::string& found) {
    Wire tale;
    tale.takes("A", found).asks_to("B", "acquire");
    tale.sends("B", "SET lock " + written + " NX PX 300", {}, "nil");
    tale.sends("B", "GET lock", {}, found).sends("B", "DEL lock", {"del"}, "1");
    return tale.is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("takes_what_is_overdue", removes("1754…", "1754…")));  // a time
  EXPECT_TRUE(is_said("takes_what_is_overdue", removes("41ea…", "787b…")));
  EXPECT_FALSE(is_said("takes_what_is_overdue", removes("787b…", "787b…")));
  EXPECT_FALSE(is_said("takes_what_is_overdue", removes("1804289383", "1804289383")));  // by rand()
}

TEST(RuleOfAcquire, LetsItsOwnClockEndTheLease) {
  const auto set_by = [](const std::string& command) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SETNX lock 787b…", {"set"}, "1");
    return tale.sends("A", command, {"expire"}, "1").is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_remarked("lease_by_its_own_clock", set_by("PEXPIREAT lock 1700000300123")));
  EXPECT_FALSE(is_remarked("lease_by_its_own_clock", set_by("PEXPIRE lock 300")));
}

TEST(RuleOfAcquire, LetsTheServersClockEndTheLease) {
  const auto after = [](const std::string& command) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", command, {}, "1700000000 123456");
    tale.sends("A", "SET lock 787b… NX PXAT 1700000300123", {"set"}, "OK");
    return tale.is_told("A", "acquire", "acquired");
  };
  EXPECT_FALSE(is_remarked("lease_by_its_own_clock", after("TIME")));
  EXPECT_TRUE(is_remarked("lease_by_its_own_clock", after("PING")));
}

TEST(RuleOfAcquire, SilenceIsNoNoButWhatAnotherHasByThenIs) {
  const auto asks_again = [](bool another_is_in) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SET lock 787b… NX PX 300", {"set"}, "OK");
    tale.add("A", Kind::fault,
             {{"what", faults::fault::reset},
              {"side", "reply"},
              {"command", "SET"},
              {"server", "redis"}});
    if (another_is_in) {
      tale.sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, "1").takes("B", "41ea…");
    }
    tale.sends("A", "SET lock 5c5c… NX PX 300", {}, "nil");
    return tale.is_told("A", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("silence_taken_for_a_no", asks_again(false)));
  EXPECT_FALSE(is_said("silence_taken_for_a_no", asks_again(true)));
}

TEST(RuleOfAcquire, AYesIsNoUnknownUnlessItCameLate) {
  const auto answered_after = [](int events) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "EVALSHA 565e… 1 lock 787b… 300", {"hset"}, "1");
    return tale.time_passes(events).is_told("A", "acquire", "unknown");
  };
  EXPECT_TRUE(is_said("yes_taken_for_unknown", answered_after(1)));
  EXPECT_FALSE(is_said("yes_taken_for_unknown", answered_after(40)));
}

TEST(RuleOfAcquire, WritesOverWhatIsThere) {
  const auto with = [](const std::string& command, const Effects& effects) {
    Wire tale;
    return tale.takes("A").asks_to("B", "acquire").sends("B", command, effects, "OK");
  };
  EXPECT_TRUE(is_said("set_without_nx", with("SET lock 5c5c… PX 300", {"set"})));
  EXPECT_TRUE(is_said("set_without_nx", with("PSETEX lock 300 5c5c…", {"set"})));
  EXPECT_FALSE(is_said("set_without_nx", with("SET lock 5c5c… NX PX 300", {})));
}

// The value was forgotten, so the option is the value.
TEST(RuleOfAcquire, WritesOverWhatIsThereWithAnOptionForItsValue) {
  const auto with = [](const std::string& value) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SET lock " + value, {"set"}, "OK");
    tale.is_told("A", "acquire", "acquired");
    tale.asks_to("B", "acquire").sends("B", "SET lock " + value, {"set"}, "OK");
    tale.is_told("B", "acquire", "acquired");
    return diagnose(
        Evidence(tale.asks_to("B", "release").sends("B", "DEL lock", {"del"}, "1").record));
  };
  const auto said = with("NX");
  EXPECT_EQ(said->key, "set_without_nx");
  EXPECT_THAT(said->sentence, testing::HasSubstr("where the value belongs"));
  EXPECT_EQ(with("1")->key, "set_without_nx");
  EXPECT_THAT(with("1")->sentence, testing::Not(testing::HasSubstr("where the value belongs")));
}

TEST(RuleOfAcquire, IgnoresANoWhichNilIsNotOfWhatWasThere) {
  const auto acquired_by = [](const std::string& command, const std::string& reply) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", command, {}, reply);
    return tale.is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("answer_ignored", acquired_by("SETNX lock held", "0")));
  EXPECT_TRUE(is_said("answer_ignored", acquired_by("GETSET lock 787b…", "41ea…")));
  EXPECT_FALSE(is_said("answer_ignored", acquired_by("GETSET lock 787b…", "nil")));
  EXPECT_FALSE(is_said("answer_ignored", acquired_by("GETEX lock PX 300", "nil")));
  EXPECT_FALSE(is_said("answer_ignored", acquired_by("GETDEL lock", "nil")));
  EXPECT_FALSE(is_said("answer_ignored", acquired_by("SET lock 787b… PX 300 GET", "nil")));
  EXPECT_TRUE(is_said("answer_ignored", acquired_by("SET lock GET NX", "nil")));
}

}  // namespace
}  // namespace learning
