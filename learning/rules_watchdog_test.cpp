// Rules about a lease that follows the work: when it is renewed, and whether its holder is told.
#include <gtest/gtest.h>

#include "learning/rules_test.h"

namespace learning {
namespace {

using faults::Kind;
using nlohmann::json;

TEST(RuleOfAWatchdog, NeverRenews) {
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

TEST(RuleOfAWatchdog, GivesUpAfterALostReply) {
  const auto lost = [](bool goes_on) {
    Wire tale;
    tale.takes("A").sends("A", as_renewal, {"expire"}).fault("A", faults::fault::reset);
    return goes_on ? tale.sends("A", as_renewal, {"expire"}, "1") : tale;
  };
  EXPECT_TRUE(is_said("gives_up_after_a_lost_reply", lost(false)));
  EXPECT_FALSE(is_said("gives_up_after_a_lost_reply", lost(true)));
}

TEST(RuleOfAWatchdog, RenewsWithoutEnd) {
  const auto renewed = [](int times) {
    Wire tale;
    tale.takes("A").asks_to("B", "acquire", {{"wait_ms", 100}, {"must_get_in", true}});
    for (int i = 0; i < times; ++i) tale.sends("A", as_renewal, {"expire"}, "1");
    return tale.time_passes(10).is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("renews_without_end", renewed(4)));
  EXPECT_FALSE(is_said("renews_without_end", renewed(1)));
}

TEST(RuleOfAWatchdog, RenewsANamedLeaseButNotALaterHold) {
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

TEST(RuleOfAWatchdog, KeepsALossToItself) {
  // Somebody removes A's lock while it works, B works under one of its own; A asks whose it is.
  const auto answered = [](const std::string& reply) {
    Wire tale;
    tale.takes("A").asks_to("A", "work").reads("A", 0).server("del");
    tale.takes("B", "fc39…").works("B", 0);
    tale.sends("A", "GET lock", {}, reply).writes("A", 1).answer("A", "work", "done");
    return tale;
  };
  EXPECT_TRUE(is_said("keeps_a_loss_to_itself", answered("fc39…")));
  EXPECT_TRUE(is_said("keeps_a_loss_to_itself", answered("nil")));
  EXPECT_FALSE(is_said("keeps_a_loss_to_itself", answered("787b…")));
  EXPECT_FALSE(is_said("keeps_a_loss_to_itself", answered("error ERR no")));
}

TEST(RuleOfAWatchdog, WorksAfterTheWord) {
  const auto told_and_begins = [](int later) {
    Wire tale;
    tale.takes("A").asks_to("A", "work");
    tale.add("A", Kind::told, {{"event", "lost"}});
    tale.time_passes(later);
    tale.add("A", Kind::command, {{"to", "storage"}, {"text", "BEGIN account"}});
    return tale;
  };
  EXPECT_TRUE(is_said("works_after_the_word", told_and_begins(11)));
  EXPECT_FALSE(is_said("works_after_the_word", told_and_begins(0)));
}

TEST(RuleOfAWatchdog, TellsOfAReleaseButNotOfALeaseThatIsOver) {
  const auto told_after = [](int events) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SET lock 787b… NX PX 300", {"set", "expire"}, "OK");
    tale.is_told("A", "acquire", "acquired").time_passes(events).asks_to("A", "release");
    tale.add("A", Kind::told, {{"event", "lost"}});
    tale.sends("A", "DEL lock", {"del"}, "1");
    return tale.is_told("A", "release", "released");
  };
  EXPECT_TRUE(is_remarked("tells_of_a_release", told_after(1)));
  EXPECT_FALSE(is_remarked("tells_of_a_release", told_after(30)));
}

// A renews a lease of 300 ms every `pause` events, 10 ms each.
Wire renewed_every(int pause) {
  Wire tale;
  tale.takes("A");
  for (int i = 0; i < 3; ++i) {
    tale.time_passes(pause).sends("A", as_renewal, {"expire"}, "1");
  }
  return tale;
}

TEST(RuleOfRenewal, ComesTooLateButNotAThirdOfALeaseApart) {
  EXPECT_TRUE(is_said("renews_too_late", renewed_every(25)));
  EXPECT_FALSE(is_said("renews_too_late", renewed_every(8)));
}

TEST(Diagnose, BlamesTheMachineAndNotTheLock) {
  auto tale = renewed_every(25);
  tale.add("", Kind::stalled, {{"why", "it stood still"}});
  EXPECT_EQ(diagnose(Evidence(tale.record))->key, "inconclusive");
}

}  // namespace
}  // namespace learning
