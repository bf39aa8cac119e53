// Rules about a lease that follows the work: when it is renewed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learning/rules/rules.h"
#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;
using nlohmann::json;

TEST(RuleOfWatchdog, NeverRenews) {
  const std::string waited = "waited 2400 ms for 6 renewals of A, and they never came";
  EXPECT_TRUE(is_said("never_renews", Wire().takes("A").stops(waited)));
  EXPECT_FALSE(is_said("never_renews", Wire().takes("A").stops("nothing was frozen")));
  const auto once_and_then = [&](int events) {
    return Wire()
        .takes("A")
        .sends("A", as_renewal, {"expire"}, "1")
        .time_passes(events)
        .stops(waited);
  };
  EXPECT_FALSE(is_said("never_renews", once_and_then(40)));
  EXPECT_TRUE(is_said("stops_renewing", once_and_then(40)));
  EXPECT_FALSE(is_said("stops_renewing", once_and_then(10)));  // seldom, and not for the last time
  EXPECT_FALSE(is_said("stops_renewing", Wire().takes("A").stops(waited)));
}

// A renewal may be under way when the lock goes.
TEST(RuleOfWatchdog, RenewsWhatWasLetGo) {
  const auto let_go_and_renewed = [](int times) {
    Wire tale;
    tale.takes("A").sends("A", as_renewal, {"expire"}, "1");
    tale.asks_to("A", "let_go").is_told("A", "let_go", "let go");
    for (int i = 0; i < times; ++i) tale.sends("A", as_renewal, {"expire"}, "1");
    return tale;
  };
  EXPECT_TRUE(is_said("renews_what_was_let_go", let_go_and_renewed(2)));
  EXPECT_FALSE(is_said("renews_what_was_let_go", let_go_and_renewed(1)));
  Wire at_five(5);
  at_five.takes("A").asks_to("A", "let_go").is_told("A", "let_go", "let go");
  for (int node = 1; node <= 5; ++node) {
    at_five.sends("A", as_renewal, {"expire"}, "1", fmt::format("node{}", node));
  }
  EXPECT_FALSE(is_said("renews_what_was_let_go", at_five));
}

TEST(RuleOfWatchdog, GivesUpAfterALostReply) {
  const auto lost = [](bool goes_on) {
    Wire tale;
    tale.takes("A").sends("A", as_renewal, {"expire"}).fault("A", faults::fault::reset);
    return goes_on ? tale.sends("A", as_renewal, {"expire"}, "1") : tale;
  };
  EXPECT_TRUE(is_said("gives_up_after_a_lost_reply", lost(false)));
  EXPECT_FALSE(is_said("gives_up_after_a_lost_reply", lost(true)));
}

TEST(RuleOfWatchdog, RenewsWithoutEnd) {
  const auto renewed = [](int times) {
    Wire tale;
    tale.takes("A").asks_to("B", "acquire", {{"wait_ms", 100}, {"must_get_in", true}});
    for (int i = 0; i < times; ++i) tale.sends("A", as_renewal, {"expire"}, "1");
    return tale.time_passes(10).is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("renews_without_end", renewed(4)));
  EXPECT_FALSE(is_said("renews_without_end", renewed(1)));
}

TEST(RuleOfWatchdog, RenewsANamedLeaseButNotALaterHold) {
  const auto renewed = [](const json& asked, bool again) {
    Wire tale;
    tale.takes("A", "787b…", asked);
    if (again) {
      tale.asks_to("A", "release").sends("A", "EVALSHA 316f… 1 lock 787b…", {"del"}, "1");
      tale.is_told("A", "release", "released").takes("A");
    }
    tale.asks_to("B", "acquire", {{"wait_ms", 100}, {"must_get_in", true}});
    for (int i = 0; i < 4; ++i) tale.sends("A", as_renewal, {"expire"}, "1");
    return tale.time_passes(10).is_told("B", "acquire", "contended");
  };
  const json named{{"lease_ms", 300}};
  EXPECT_TRUE(is_said("renews_a_named_lease", renewed(named, false)));
  EXPECT_FALSE(is_said("renews_a_named_lease", renewed(named, true)));
  EXPECT_FALSE(is_said("renews_a_named_lease", renewed(json::object(), false)));
}

TEST(RuleOfWatchdog, GoesOnAfterUnlockButNotForTheNextHoldOfTheSameToken) {
  const auto renewed_after_release = [](const std::string& token_of_the_next) {
    Wire tale;
    tale.takes("A").asks_to("A", "release");
    tale.sends("A", "EVALSHA 316f… 1 lock 787b…", {"del"}, "1").is_told("A", "release", "released");
    return tale.takes("A", token_of_the_next).sends("A", as_renewal, {}, "0");
  };
  EXPECT_TRUE(is_said("renews_after_release", renewed_after_release("41ea…")));
  EXPECT_FALSE(is_said("renews_after_release", renewed_after_release("787b…")));
}

TEST(RuleOfWatchdog, GoesOnAfterUnlockButNotForWhoIsStillInside) {
  Wire tale;
  tale.takes("A").asks_to("A", "acquire", {{"join", "787b…"}}).is_told("A", "acquire", "acquired");
  tale.asks_to("A", "release").sends("A", "EVALSHA 316f… 1 lock 787b…", {"hset"}, "2");
  tale.is_told("A", "release", "released").sends("A", as_renewal, {"expire"}, "1");
  EXPECT_FALSE(is_said("renews_after_release", tale));
}

TEST(RuleOfWatchdog, ComesTooLateButNotAThirdOfALeaseApart) {
  EXPECT_TRUE(is_said("renews_too_late", renewed_every(25)));
  EXPECT_FALSE(is_said("renews_too_late", renewed_every(8)));
}

TEST(RuleOfWatchdog, ComesTooOftenButNotForAFewInARow) {
  const auto renewed = [](int times) {
    Wire tale;
    tale.judges(faults::Property::bounded_renewal);
    tale.takes("A");
    for (int i = 0; i < times; ++i) tale.sends("A", as_renewal, {"expire"}, "1");
    return tale;
  };
  EXPECT_TRUE(is_said("renews_too_often", renewed(12)));
  EXPECT_FALSE(is_said("renews_too_often", renewed(3)));
}

TEST(RuleOfWatchdog, ComesTooSeldomForWhoWaitedInVain) {
  const std::string waited = "waited 2400 ms for 20 renewals of A, and they never came";
  EXPECT_TRUE(is_said("renews_too_late", renewed_every(12).stops(waited)));
  const auto half = rules::renews_too_late(Evidence(renewed_every(12).stops(waited).record));
  EXPECT_NE(half.value_or("").find("room for one lost answer at most"), std::string::npos);
  EXPECT_FALSE(is_said("renews_too_late", renewed_every(12)));
  EXPECT_FALSE(is_said("renews_too_late", renewed_every(8).stops(waited)));
}

TEST(RuleOfWatchdog, StopsButNotForALostReply) {
  const auto stopped = [](bool lost) {
    Wire tale;
    tale.takes("A").sends("A", as_renewal, {"expire"}, lost ? "" : "1");
    if (lost) tale.fault("A", faults::fault::reset);
    return tale.time_passes(40).stops("waited 2400 ms for 6 renewals of A, and they never came");
  };
  EXPECT_TRUE(is_said("stops_renewing", stopped(false)));
  EXPECT_FALSE(is_said("stops_renewing", stopped(true)));
  EXPECT_TRUE(is_said("gives_up_after_a_lost_reply", stopped(true)));
}

// A asks for the lock with `taking`, and renews what `token` names. The answer may stay on its way
// until then.
Wire renewed_while_asking(const std::string& taking, const std::string& token, bool held) {
  Wire tale;
  const auto answer_is = [&](std::string_view what) {
    tale.add("A", Kind::fault,
             {{"what", what},
              {"side", "reply"},
              {"server", "redis"},
              {"command", taking.substr(0, taking.find(' '))}});
  };
  tale.asks_to("A", "acquire").sends("A", taking, {"set", "expire"}, "OK");
  if (held) answer_is(faults::fault::held);
  tale.sends("A", "EVALSHA 704d… 1 lock " + token + " 300", {"expire"}, "1");
  if (held) answer_is(faults::fault::delivered);
  return tale.is_told("A", "acquire", "acquired");
}

TEST(RuleOfWatchdog, RenewsBeforeTheAnswer) {
  const std::string taking = "SET lock 787b… NX PX 300";
  EXPECT_TRUE(is_said("renews_before_the_answer", renewed_while_asking(taking, "787b…", true)));
  EXPECT_FALSE(is_said("renews_before_the_answer", renewed_while_asking(taking, "787b…", false)));
  EXPECT_FALSE(is_said("renews_before_the_answer", renewed_while_asking(taking, "41ea…", true)));
}

TEST(RuleOfWatchdog, WhoAsksAgainUnderTheSameTokenRenewsNothing) {
  EXPECT_FALSE(
      is_said("renews_before_the_answer", renewed_while_asking(as_renewal, "787b…", true)));
  Wire lost;
  lost.asks_to("A", "acquire").sends("A", "SET lock 787b… NX PX 300", {"set", "expire"});
  lost.sends("A", "EVALSHA a11c… 1 lock 787b… 300", {"expire"}, "300");
  lost.is_told("A", "acquire", "acquired");
  EXPECT_FALSE(is_said("renews_before_the_answer", lost));
  lost.sends("A", as_renewal, {"expire"}, "1");  // of who was let in by the second answer
  EXPECT_FALSE(is_said("renews_before_the_answer", lost));
}

TEST(RuleOfWatchdog, ReleaseWaitsForARenewal) {
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

}  // namespace
}  // namespace learning
