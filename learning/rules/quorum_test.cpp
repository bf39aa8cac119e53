// Rules about several servers: what a majority says, and what it keeps.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/rules/rules.h"
#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfQuorum, AnswersThatNeverCameWereNotToCome) {
  const auto gives_up = [](bool comes) {
    Wire tale(5);
    tale.asks_to("A", "acquire");
    for (int node = 1; node <= 5; ++node) tale.command_to(node, "A", "SET lock 787b… NX PX 300");
    for (int node = 1; node <= 2; ++node) tale.reply_from(node, "A", "OK");
    tale.reply_from(3, "A", "nil");
    tale.is_told("A", "acquire", "contended");
    if (comes) tale.reply_from(4, "A", "OK").reply_from(5, "A", "OK");
    return tale;
  };
  EXPECT_TRUE(is_said("answers_counted_for_votes", gives_up(true)));
  EXPECT_FALSE(is_said("answers_counted_for_votes", gives_up(false)));
}

TEST(RuleOfQuorum, ANoIsNotUnknownWhereThreeSaySo) {
  const auto refused_by = [](int refusing) {
    Wire tale(5);
    tale.asks_to("B", "acquire", {{"must_get_in", true}});
    for (int node = 1; node <= 5; ++node) {
      tale.sends("B", "EVALSHA a11c… 1 lock 41ea… 300", {}, node <= refusing ? "-250" : "",
                 fmt::format("node{}", node));
    }
    return tale.time_passes(5).is_told("B", "acquire", "unknown");
  };
  EXPECT_TRUE(is_said("no_taken_for_unknown", refused_by(3)));
  EXPECT_FALSE(is_said("no_taken_for_unknown", refused_by(2)));
}

TEST(RuleOfQuorum, ANoIsTakenForAYes) {
  const auto refused_by_all = [](const char* reply, const Effects& effects) {
    Wire tale(5);
    tale.asks_to("B", "acquire");
    for (int node = 1; node <= 5; ++node) {
      tale.sends("B", "SET lock 41ea… NX PX 300", effects, reply, fmt::format("node{}", node));
    }
    return tale.is_told("B", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("no_taken_for_yes", refused_by_all("nil", {})));
  EXPECT_FALSE(is_said("no_taken_for_yes", refused_by_all("OK", {"set"})));
  EXPECT_FALSE(is_said("no_taken_for_yes", refused_by_all("", {})));  // nobody said anything
}

TEST(RuleOfQuorum, AMajorityThatIsTooSmallIsThoughtOfAsTheNumberOfServersHas) {
  const auto let_in_by = [](int yes, int servers) {
    Wire tale(servers);
    tale.asks_to("A", "acquire");
    for (int node = 1; node <= servers; ++node) {
      const bool is_yes = node <= yes;
      tale.sends("A", "SET lock 787b… NX PX 300", is_yes ? Effects{"set"} : Effects{},
                 is_yes ? "OK" : "nil", fmt::format("node{}", node));
    }
    tale.is_told("A", "acquire", "acquired");
    return rules::majority_too_small(Evidence(tale.record)).value_or("");
  };
  EXPECT_THAT(let_in_by(2, 5), testing::EndsWith("(N / 2 + 1)"));
  EXPECT_THAT(let_in_by(2, 4), testing::HasSubstr("half of them are not more than half"));
  EXPECT_THAT(let_in_by(3, 7), testing::HasSubstr("is your majority a fixed number?"));
  EXPECT_THAT(let_in_by(3, 5), testing::IsEmpty());
}

TEST(RuleOfQuorum, WhatIsTakenBackIsAwaited) {
  const auto takes_back = [](bool heard_before) {
    Wire tale(5);
    tale.asks_to("B", "acquire");
    for (int node = 1; node <= 5; ++node) {
      const auto server = fmt::format("node{}", node);
      if (node <= 2) tale.sends("B", "SET lock 41ea… NX PX 300", {"set"}, "OK", server);
      if (node > 2) tale.sends("B", "SET lock 41ea… NX PX 300", {}, "nil", server);
    }
    if (!heard_before) tale.command_to(1, "B", "EVALSHA 316f… 1 lock 41ea…");
    if (heard_before) tale.sends("B", "EVALSHA 316f… 1 lock 41ea…", {"del"}, "1", "node1");
    tale.sends("B", "EVALSHA 316f… 1 lock 41ea…", {"del"}, "1", "node2");
    tale.is_told("B", "acquire", "contended");
    if (!heard_before) {
      tale.add("node1", Kind::server, {{"what", "del"}, {"key", lock_key}});
      tale.add("B", Kind::reply, {{"from", "node1"}, {"command", "EVALSHA"}, {"text", "1"}});
    }
    return tale;
  };
  EXPECT_TRUE(is_remarked("take_back_not_awaited", takes_back(false)));
  EXPECT_FALSE(is_remarked("take_back_not_awaited", takes_back(true)));
}

TEST(RuleOfQuorum, AMajorityIsWaitedForAndNotAMachineThatStoodStill) {
  const auto answers_after = [](int events, int stood_still) {
    Wire tale(5);
    tale.asks_to("A", "acquire");
    for (const auto* node : {"node1", "node2", "node3", "node4"}) {
      tale.sends("A", "EVALSHA a11c… 1 lock 787b… 300", {"hset"}, "300", node);
    }
    if (stood_still > 0) tale.add("", Kind::stood_still, {{"for_ms", stood_still}});
    return tale.time_passes(events).is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("waits_for_all", answers_after(30, 0)));
  EXPECT_FALSE(is_said("waits_for_all", answers_after(20, 0)));
  EXPECT_TRUE(is_said("waits_for_all", answers_after(60, 80)));
  EXPECT_FALSE(is_said("waits_for_all", answers_after(60, 200)));
  auto lay = answers_after(30, 0);  // nobody read the answer meanwhile
  lay.record.back().data["lay_ms"] = 200;
  EXPECT_FALSE(is_said("waits_for_all", lay));
}

TEST(RuleOfQuorum, ARefusalWaitsForNobodyWhenNoMajorityIsLeft) {
  const auto refused_by = [](int refusing, int events, bool gives_back_first = false) {
    Wire tale(5);
    tale.asks_to("B", "acquire");
    for (int node = 1; node <= 5; ++node) {
      const auto server = fmt::format("node{}", node);
      tale.sends("B", "EVALSHA a11c… 1 lock 41ea… 300", {}, node <= refusing ? "-250" : "", server);
    }
    if (!gives_back_first) tale.time_passes(events);
    tale.command_to(1, "B", "EVALSHA 316f… 1 lock 41ea…");
    if (gives_back_first) tale.time_passes(events);  // that is not answered so soon
    return tale.is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_remarked("refusal_waits_for_all", refused_by(4, 30)));
  EXPECT_FALSE(is_remarked("refusal_waits_for_all", refused_by(4, 10)));
  EXPECT_FALSE(is_remarked("refusal_waits_for_all", refused_by(2, 30)));
  EXPECT_FALSE(is_remarked("refusal_waits_for_all", refused_by(4, 30, true)));
}

TEST(RuleOfQuorum, OneYesIsTooFewForAJoinAsWell) {
  Wire tale(5);
  tale.asks_to("A", "acquire", {{"join", "787b"}})
      .sends("A", "EVALSHA a11c… 1 lock 787b… 300", {"hset"}, "300", "node1")
      .is_told("A", "acquire", "acquired");
  EXPECT_THAT(rules::one_yes_is_enough(Evidence(tale.record)).value_or(""),
              testing::StartsWith("your join answered"));
}

// Two of A's nodes lose its lock and refuse a renewal, and A sends them `command`, with `effects`.
// Then a third one loses it.
Wire lost_by_two_nodes(const std::string& command, const Effects& effects) {
  const std::string entering = "EVALSHA a11c… 1 lock 787b… 300";
  Wire tale(5);
  const auto loses = [&](const std::string& node) {
    tale.add(node, Kind::fault, {{"what", faults::fault::removed}});
    tale.add(node, Kind::server, {{"what", "del"}, {"key", lock_key}});
  };
  tale.asks_to("A", "acquire");
  for (const auto* node : {"node1", "node2", "node3", "node4", "node5"}) {
    tale.sends("A", entering, {"hset"}, "300", node);
  }
  tale.is_told("A", "acquire", "acquired").reads("A", 0);
  for (const auto* node : {"node1", "node2"}) {
    loses(node);
    tale.sends("A", as_renewal, {}, "0", node).sends("A", command, effects, "300", node);
  }
  loses("node3");
  tale.asks_to("B", "acquire");
  for (const auto* node : {"node1", "node2", "node3"}) {
    tale.sends("B", entering, {"hset"}, "300", node);
  }
  tale.is_told("B", "acquire", "acquired").reads("B", 0).writes("B", 1).writes("A", 1);
  return tale;
}

// A has the lock and asks for it once more, with `first` before. The fifth node gives `answer`.
Wire refused_inside(const std::string& first, const std::string& answer) {
  Wire tale(5);
  const auto enters = [&](const std::string& last) {
    const std::string entering = "EVALSHA a11c… 1 lock 787b… 300";
    for (const auto* node : {"node1", "node2", "node3", "node4"}) {
      tale.sends("A", entering, {"hset"}, "300", node);
    }
    tale.sends("A", entering, {}, last, "node5");
  };
  tale.asks_to("A", "acquire");
  enters("300");
  tale.is_told("A", "acquire", "acquired")
      .asks_to("A", "acquire")
      .sends("A", first, {}, "1", "node1");
  enters(answer);
  return tale.is_told("A", "acquire", "contended");
}

TEST(RuleOfQuorum, OneNoEndsTheHoldButNotARefusal) {
  EXPECT_TRUE(is_said("one_no_ends_the_hold", refused_inside("DEL lock", "0")));
  EXPECT_FALSE(is_said("one_no_ends_the_hold", refused_inside("DEL lock", "-300")));
}

TEST(RuleOfQuorum, NeverRepairsButNotWhereTheNodeGotItBack) {
  EXPECT_TRUE(is_said("never_repairs", lost_by_two_nodes(as_renewal, {})));
  const std::string again = "EVALSHA a11c… 1 lock 787b… 300";
  EXPECT_FALSE(is_said("never_repairs", lost_by_two_nodes(again, {"hset"})));
}

// A has been let in with a long lease. Three or two servers say yes to one of 900 ms, and A gives
// them back.
TEST(RuleOfQuorum, AShortLeaseIsTakenForOver) {
  const auto refused_by = [](int yes, int let_in_for = 60'000) {
    Wire tale(5);
    tale.asks_to("A", "acquire", {{"lease_ms", let_in_for}})
        .is_told("A", "acquire", "acquired")
        .asks_to("A", "release")
        .is_told("A", "release", "released");
    tale.asks_to("A", "acquire", {{"lease_ms", 60000}})
        .is_told("A", "acquire", "acquired")
        .asks_to("A", "release")
        .is_told("A", "release", "released");
    tale.asks_to("A", "acquire", {{"lease_ms", 900}});
    for (int node = 1; node <= yes; ++node) {
      tale.command_to(node, "A", "EVALSHA a11c… 1 lock 787b… 900");
      tale.add(fmt::format("node{}", node), Kind::server, {{"what", "hset"}, {"key", lock_key}});
    }
    for (int node = 1; node <= yes; ++node) {
      tale.add("A", Kind::reply,
               {{"from", fmt::format("node{}", node)}, {"command", "EVALSHA"}, {"text", "900"}});
    }
    tale.sends("A", "EVALSHA 316f… 1 lock 787b…", {"del"}, "1", "node1");
    return tale.is_told("A", "acquire", "unknown");
  };
  EXPECT_TRUE(is_said("takes_a_short_lease_for_over", refused_by(3)));
  EXPECT_FALSE(is_said("takes_a_short_lease_for_over", refused_by(2)));
  EXPECT_FALSE(is_said("takes_a_short_lease_for_over", refused_by(3, 900)));
}

// A has the lock at all servers.
Wire let_in_by_five() {
  Wire tale(5);
  tale.asks_to("A", "acquire");
  for (int node = 1; node <= 5; ++node) {
    tale.sends("A", "EVALSHA a11c… 1 lock 787b… 300", {"hset"}, "300", fmt::format("node{}", node));
  }
  return tale.is_told("A", "acquire", "acquired");
}

// So many servers say that A's renewal comes too late. So many others renew it, and the rest is not
// heard.
Wire refused_to_renew(int servers, int others, bool told) {
  auto tale = let_in_by_five();
  for (int node = 1; node <= servers; ++node) {
    tale.server_on({node}, "del");
    tale.sends("A", as_renewal, {}, "0", fmt::format("node{}", node));
  }
  for (int node = servers + 1; node <= 5; ++node) {
    const bool renews = node <= servers + others;
    tale.sends("A", as_renewal, {}, renews ? "1" : "", fmt::format("node{}", node));
  }
  if (told) tale.add("A", Kind::told, {{"event", "lost"}});
  return tale;
}

TEST(RuleOfQuorum, AHoldIsLostByAMajority) {
  EXPECT_TRUE(is_remarked("few_lose_the_hold", refused_to_renew(1, 3, true)));
  EXPECT_FALSE(is_remarked("few_lose_the_hold", refused_to_renew(1, 3, false)));
  EXPECT_FALSE(is_remarked("few_lose_the_hold", refused_to_renew(3, 2, true)));
  // Its own clock may have ended it.
  EXPECT_FALSE(is_remarked("few_lose_the_hold", refused_to_renew(1, 1, true)));
}

// A works while three of five servers say that its hold is over. B gets in at these.
Wire worked_on_after_three_refusals(bool told) {
  auto tale = let_in_by_five();
  tale.asks_to("A", "work").reads("A", 0);
  for (int node = 1; node <= 5; ++node) {
    const bool refuses = node <= 3;
    if (refuses) tale.server_on({node}, "del");
    tale.sends("A", as_renewal, refuses ? Effects{} : Effects{"expire"}, refuses ? "0" : "1",
               fmt::format("node{}", node));
  }
  if (told) tale.add("A", Kind::told, {{"event", "lost"}});
  tale.asks_to("B", "acquire");
  for (const auto* node : {"node1", "node2", "node3"}) {
    tale.sends("B", "EVALSHA a11c… 1 lock 41ea… 300", {"hset"}, "300", node);
  }
  tale.is_told("B", "acquire", "acquired").reads("B", 0).writes("B", 1).writes("A", 1);
  return tale.is_told("A", "work", "done");
}

TEST(RuleOfQuorum, AHoldIsRenewedByAMajority) {
  EXPECT_TRUE(is_said("renewed_by_too_few", worked_on_after_three_refusals(false)));
  const auto told = worked_on_after_three_refusals(true);
  EXPECT_TRUE(Evidence(told.record).broke(faults::Property::mutual_exclusion));
  EXPECT_FALSE(is_said("renewed_by_too_few", told));
}

}  // namespace
}  // namespace learning
