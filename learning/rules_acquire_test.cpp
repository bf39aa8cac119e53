// Rules about taking the lock, and about the lease that it is taken with.
#include <gtest/gtest.h>

#include "learning/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfTaking, AsksForAnotherKey) {
  const auto on = [](const std::string& key) {
    return Wire().asks_to("A", "acquire").sends("A", "SET " + key + " 787b… NX PX 300", {}, "OK");
  };
  EXPECT_TRUE(is_said("asks_for_another_key", on("locks")));
  EXPECT_FALSE(is_said("asks_for_another_key", on("lock")));
}

TEST(RuleOfTaking, Counts) {
  const auto counted = [](const std::string& reply) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "INCR lock", {"incrby"}, reply)
        .is_told("A", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("takes_by_counting", counted("2")));
  EXPECT_FALSE(is_said("takes_by_counting", counted("1")));
}

TEST(RuleOfTaking, NamesTheLockWhereAScriptLooksForNoKey) {
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

TEST(RuleOfTaking, TakesWhatIsOverdue) {
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

TEST(RuleOfALease, EndsByItsOwnClock) {
  const auto set_by = [](const std::string& command) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SETNX lock 787b…", {"set"}, "1");
    return tale.sends("A", command, {"expire"}, "1").is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_remarked("lease_by_its_own_clock", set_by("PEXPIREAT lock 1700000300123")));
  EXPECT_FALSE(is_remarked("lease_by_its_own_clock", set_by("PEXPIRE lock 300")));
}

TEST(RuleOfALease, IsInASecondCommandOnlyWhereThatDidNotCome) {
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
    tale.asks_to("A", "acquire").sends("A", "EVALSHA 9535… 1 lock 787b… 300", {"hset"}, "1");
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

TEST(RuleOfALease, IsAlwaysTheSame) {
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
TEST(RuleOfALease, IsAlwaysTheSameAlsoForWhoAsksForNone) {
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

TEST(RuleOfALease, IsNothing) {
  const auto with = [](const std::string& lease, const Effects& effects) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "SETNX lock 787b…", {"set"}, "1")
        .sends("A", "EXPIRE lock " + lease, effects, "1");
  };
  EXPECT_TRUE(is_said("lease_of_nothing", with("0", {"del"})));
  EXPECT_FALSE(is_said("lease_of_nothing", with("1", {"expire"})));
}

TEST(RuleOfALease, IsOnAnotherKey) {
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

TEST(RuleOfALease, IsWiped) {
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
