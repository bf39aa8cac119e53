// Rules about the lease that the lock is taken with.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfLease, IsInASecondCommandOnlyWhereThatDidNotCome) {
  const auto left_with = [](const Effects& effects) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SETNX lock held", {"set"}, "1");
    tale.sends("A", "PEXPIRE lock 60000", effects, effects.empty() ? "" : "1");
    tale.asks_to("B", "acquire", {{"must_get_in", true}, {"wait_ms", 100}});
    tale.sends("B", "SETNX lock held", {}, "0").time_passes(1'000);
    return tale.is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("lease_in_a_second_command", left_with({})));
  EXPECT_FALSE(is_said("lease_in_a_second_command", left_with({"expire"})));
}

TEST(RuleOfLease, IsAlwaysTheSame) {
  const auto set_to = [](const std::string& first, const std::string& second) {
    return Wire()
        .asks_to("A", "acquire", {{"lease_ms", 500}})
        .sends("A", "SET lock 787b… NX PX " + first, {}, "nil")
        .is_told("A", "acquire", "contended")
        .asks_to("A", "acquire", {{"lease_ms", 60'000}})
        .sends("A", "SET lock 787b… NX PX " + second, {}, "nil");
  };
  EXPECT_TRUE(is_said("lease_is_always_the_same", set_to("30000", "30000")));
  EXPECT_FALSE(is_said("lease_is_always_the_same", set_to("500", "60000")));
  EXPECT_TRUE(is_said("lease_is_always_the_same", set_to("60000", "60000")));  // right for one
}

// Its client's, where a story has it begin with one of its own.
TEST(RuleOfLease, IsAlwaysTheSameAlsoForWhoAsksForNone) {
  const auto begun_with = [](int lease) {
    Wire tale;
    tale.add("A", faults::Kind::ready, {{"lease_ms", lease}});
    return tale.asks_to("A", "acquire", {{"lease_ms", 500}})
        .sends("A", "SET lock 787b… NX PX 300", {}, "nil")
        .is_told("A", "acquire", "contended")
        .asks_to("A", "acquire")
        .sends("A", "SET lock 787b… NX PX 300", {}, "nil");
  };
  EXPECT_TRUE(is_said("lease_is_always_the_same", begun_with(900)));
  EXPECT_FALSE(is_said("lease_is_always_the_same", begun_with(300)));
}

// A lease of 0 is also how one deletes.
TEST(RuleOfLease, IsNothingButNotWhereItTakesBack) {
  const auto ends_it = [](const std::string& outcome) {
    return Wire()
        .asks_to("A", "acquire", {{"lease_ms", 60'000}})
        .sends("A", "SET lock 787b… NX PX 60000", {"set"})
        .sends("A", "PEXPIRE lock 0", {"del"}, "1")
        .is_told("A", "acquire", outcome);
  };
  for (const auto* rule : {"lease_of_nothing", "lease_is_over_at_once"}) {
    EXPECT_TRUE(is_said(rule, ends_it("acquired"))) << rule;
    EXPECT_FALSE(is_said(rule, ends_it("unknown"))) << rule;
  }
  EXPECT_TRUE(is_remarked("lease_shorter_than_asked", ends_it("acquired")));
  EXPECT_FALSE(is_remarked("lease_shorter_than_asked", ends_it("unknown")));
}

TEST(RuleOfLease, LeavesRoomForDrift) {
  const auto has_left = [](int lease, int left) {
    Wire tale;
    tale.asks_to("A", "acquire", {{"lease_ms", lease}});
    tale.sends("A", "SET lock 787b… NX PX " + std::to_string(lease), {"set"}, "OK");
    tale.add("A", Kind::answer,
             {{"op", "acquire"},
              {"id", 1},
              {"key", lock_key},
              {"outcome", "acquired"},
              {"remaining_ms", left}});
    return tale;
  };
  EXPECT_TRUE(is_remarked("no_room_for_drift", has_left(60'000, 59'999)));
  EXPECT_FALSE(is_remarked("no_room_for_drift", has_left(60'000, 59'396)));
  EXPECT_FALSE(is_remarked("no_room_for_drift", has_left(300, 299)));  // may be chance
}

TEST(RuleOfLease, IsNothing) {
  const auto with = [](const std::string& lease, const Effects& effects) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "SETNX lock 787b…", {"set"}, "1")
        .sends("A", "EXPIRE lock " + lease, effects, "1");
  };
  EXPECT_TRUE(is_said("lease_of_nothing", with("0", {"del"})));
  EXPECT_FALSE(is_said("lease_of_nothing", with("1", {"expire"})));
}

TEST(RuleOfLease, IsOnAnotherKey) {
  const auto on = [](const std::string& key) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "SETNX lock 787b…", {"set"}, "1")
        .sends("A", "PEXPIRE " + key + " 300", {}, "1")
        .is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("lease_on_another_key", on("787b…")));
  EXPECT_FALSE(is_said("lease_on_another_key", on("lock")));
}

TEST(RuleOfLease, IsOverAtOnceAndOnAnotherKeyOnlyIfNothingElseSetsIt) {
  const auto after_taking = [](const std::string& command, const Effects& effects) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SETNX lock held", {"set"}, "1");
    tale.sends("A", command, effects, "1");
    return tale;
  };
  EXPECT_TRUE(is_said("lease_is_over_at_once", after_taking("PEXPIREAT lock 300", {"del"})));
  EXPECT_FALSE(is_said("lease_is_over_at_once", after_taking("PEXPIRE lock 300", {"expire"})));
  auto two = after_taking("PEXPIRE lock 300", {"expire"});
  two.sends("A", "PEXPIRE lock:waiters 10000", {}, "1").is_told("A", "acquire", "acquired");
  EXPECT_FALSE(is_said("lease_on_another_key", two));
  auto other = after_taking("PEXPIRE lock:lease 300", {});
  EXPECT_TRUE(is_said("lease_on_another_key", other.is_told("A", "acquire", "acquired")));
}

TEST(RuleOfLease, IsWiped) {
  const auto then = [](const std::string& set) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "SET lock 787b… NX PX 300", {"set", "expire"}, "OK")
        .sends("A", set, {"set"}, "OK");
  };
  EXPECT_TRUE(is_said("lease_wiped", then("SET lock 787b…")));
  EXPECT_FALSE(is_said("lease_wiped", then("SET lock 787b… KEEPTTL")));
}

TEST(RuleOfLease, WipedButNotWhereItIsSetAgainAtOnce) {
  const auto persisted = [](const Effects& effects) {
    Wire tale;
    tale.takes("A").asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock", effects, "2");
    return tale.is_told("A", "release", "still_held");
  };
  EXPECT_TRUE(is_said("lease_wiped", persisted({"persist"})));
  EXPECT_TRUE(is_said("lease_wiped", persisted({"persist", "hset"})));
  EXPECT_FALSE(is_said("lease_wiped", persisted({"persist", "expire"})));
  EXPECT_FALSE(is_said("lease_wiped", persisted({"persist", "del"})));
}

TEST(RuleOfLease, GivesUpWhatItHasButNotWhenItCannotHear) {
  const auto told_early = [](bool disturbed) {
    Wire tale;
    tale.takes("A");
    if (disturbed) tale.add("A", Kind::fault, {{"what", faults::fault::cut_off}});
    tale.add("A", Kind::told, {{"event", "lost"}});
    tale.time_passes(30).asks_to("A", "release").sends("A", "DEL lock", {"del"}, "1");
    return tale.is_told("A", "release", "released");
  };
  EXPECT_TRUE(is_remarked("gives_up_what_it_has", told_early(false)));
  EXPECT_FALSE(is_remarked("gives_up_what_it_has", told_early(true)));
}

}  // namespace
}  // namespace learning
