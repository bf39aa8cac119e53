// Rules about what a renewal does.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;
using nlohmann::json;

TEST(RuleOfRenewal, NamesAnotherKey) {
  const auto renewed_for = [](const std::string& key) {
    return Wire().takes("A").sends("A", "EVALSHA 704d… 1 " + key + " 787b… 300", {}, "0");
  };
  EXPECT_TRUE(is_said("renews_another_key", renewed_for("lock:lease")));
  EXPECT_FALSE(is_said("renews_another_key", renewed_for("lock")));
}

TEST(RuleOfRenewal, RefusesItsOwnButNotAnOlderHold) {
  const auto renewal_of = [](const std::string& token) {
    return Wire().takes("A").sends("A", "EVALSHA 704d… 1 lock " + token + " 300", {}, "0");
  };
  EXPECT_TRUE(is_said("renewal_refuses_its_own", renewal_of("787b…")));
  EXPECT_FALSE(is_said("renewal_refuses_its_own", renewal_of("1111…")));
}

// Who is no client writes what looks like A's token into B's lock.
TEST(RuleOfRenewal, TakesALookAlikeForItsOwn) {
  const auto renews = [](bool looks_like_it, const Effects& effects) {
    Wire tale;
    tale.takes("A").server("del");
    tale.takes("B", "fc39…");
    if (looks_like_it) tale.add("redis", Kind::server, {{"what", "set"}, {"key", lock_key}});
    return tale.sends("A", as_renewal, effects, effects.empty() ? "0" : "1");
  };
  EXPECT_TRUE(is_said("renewal_compares_part_of_the_token", renews(true, {"expire"})));
  EXPECT_FALSE(is_said("renewal_compares_part_of_the_token", renews(true, {})));
  EXPECT_FALSE(is_said("renewal_compares_part_of_the_token", renews(false, {"expire"})));
  EXPECT_TRUE(is_said("renews_whatever_is_there", renews(false, {"expire"})));
}

TEST(RuleOfRenewal, BringsItBack) {
  const auto after = [](bool gone) {
    Wire tale;
    tale.takes("A");
    if (gone) tale.server("expired");
    return tale.sends("A", "SET lock 787b… PX 300", {"set", "expire"}, "OK");
  };
  EXPECT_TRUE(is_said("renewal_brings_it_back", after(true)));
  EXPECT_FALSE(is_said("renewal_brings_it_back", after(false)));
}

// A minority that has lost it may be given it again.
TEST(RuleOfRenewal, BringsBackWhatAMajorityHasLost) {
  const auto given_again = [](const std::vector<int>& nodes) {
    Wire tale(3);
    tale.asks_to("A", "acquire").asks("A", {1, 2, 3}, "hset");
    tale.is_told("A", "acquire", "acquired").server_on(nodes, "del");
    for (const int node : nodes) {
      tale.sends("A", as_renewal, {"hset", "expire"}, "1", "node" + std::to_string(node));
    }
    return tale;
  };
  EXPECT_TRUE(is_said("renewal_brings_it_back", given_again({1, 2})));
  EXPECT_FALSE(is_said("renewal_brings_it_back", given_again({1})));
}

TEST(RuleOfRenewal, BringsNothingBackBesideWhoIsLetIn) {
  Wire tale;
  tale.takes("A").server("expired");
  tale.asks_to("B", "acquire").sends("B", "EVALSHA a11c… 1 lock 41ea… 300", {});
  tale.sends("A", as_renewal, {"hset"});
  const auto replies = [&](const std::string& lane, const std::string& text) {
    const json reply{{"from", "redis"}, {"command", "EVALSHA"}, {"text", text}};
    tale.add(lane, Kind::reply, reply);
  };
  replies("B", "300");
  replies("A", "0");
  EXPECT_FALSE(is_said("renewal_brings_it_back", tale));
}

TEST(RuleOfRenewal, IsRefused) {
  const auto answered = [](const std::string& first, const std::string& second) {
    return Wire().takes("A").sends("A", as_renewal, {}, first).sends("A", as_renewal, {}, second);
  };
  EXPECT_TRUE(is_said("renewal_is_refused", answered("error ERR no", "error ERR no")));
  EXPECT_FALSE(is_said("renewal_is_refused", answered("error ERR no", "1")));
}

// What does not vote for want of its marker is right to refuse, and so is a minority.
TEST(RuleOfRenewal, IsRefusedByAMajority) {
  const auto refused_by = [](const std::vector<std::string>& nodes, const std::string& error) {
    Wire tale(3);
    tale.acquires_on({1, 2, 3}, "A");
    for (int round = 0; round < 2; ++round) {
      for (const auto& node : nodes) tale.sends("A", as_renewal, {}, error, node);
    }
    return tale;
  };
  const std::string error = "error ERR no";
  EXPECT_TRUE(is_said("renewal_is_refused", refused_by({"node1", "node2"}, error)));
  EXPECT_FALSE(is_said("renewal_is_refused", refused_by({"node1"}, error)));
  EXPECT_FALSE(is_said("renewal_is_refused", refused_by({"node1", "node2"}, "error ABSTAIN no")));
}

TEST(RuleOfRenewal, SaysNo) {
  const auto answered = [](const std::string& reply) {
    return Wire().takes("A").sends("A", as_renewal, {"expire"}, reply);
  };
  EXPECT_TRUE(is_said("renewal_says_no", answered("0")));
  EXPECT_FALSE(is_said("renewal_says_no", answered("1")));
}

TEST(RuleOfRenewal, Shortens) {
  const auto ends_after = [](int events) {
    Wire tale;
    tale.takes("A").sends("A", as_renewal, {"expire"}, "1").time_passes(events).server("expired");
    return tale;
  };
  EXPECT_TRUE(is_said("renewal_shortens", ends_after(1)));
  EXPECT_FALSE(is_said("renewal_shortens", ends_after(28)));
}

TEST(RuleOfRenewal, SetsTooLongALease) {
  const auto ends_after = [](int events) {
    Wire tale;
    tale.takes("A").sends("A", "EVALSHA 704d… 1 lock 787b… 30", {"expire"}, "1");
    tale.asks_to("B", "acquire", {{"wait_ms", 200}, {"must_get_in", true}}).time_passes(events);
    return tale.is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("renewal_sets_too_long_a_lease", ends_after(20)));
  EXPECT_FALSE(is_said("renewal_sets_too_long_a_lease", ends_after(0)));
}

TEST(RuleOfRenewal, WritesOverAnothersWithSetXx) {
  const auto with = [](const std::string& command) {
    return Wire().takes("B", "fc39…").sends("A", command, {"expire"}, "OK");
  };
  EXPECT_TRUE(is_said("renews_with_set_xx", with("SET lock 787b… XX PX 300")));
  EXPECT_FALSE(is_said("renews_with_set_xx", with(as_renewal)));
}

// Its renewal says that it did what the server was told: to delete the lock.
TEST(RuleOfRenewal, Deletes) {
  const auto beside_a_release = [](bool beside) {
    Wire tale;
    tale.takes("A").sends("A", "EVALSHA 704d… 1 lock 787b… 0", {});
    if (beside) tale.asks_to("A", "release");
    tale.server("del").add("A", Kind::reply,
                           {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "1"}});
    return beside ? tale.is_told("A", "release", "released") : tale;
  };
  EXPECT_TRUE(is_said("renewal_deletes", beside_a_release(false)));
  EXPECT_FALSE(is_said("renewal_deletes", beside_a_release(true)));
}

TEST(RuleOfRenewal, SkipsTheLeaseButNotForALongerOne) {
  const auto renewed = [](const Effects& second, long long lease) {
    Wire tale;
    tale.takes("A", "787b…", {{"lease_ms", lease}});
    for (const auto& effects : {Effects{}, Effects{"expire"}, second}) {
      tale.time_passes(8).sends("A", as_renewal, effects, "1");
    }
    return tale;
  };
  EXPECT_TRUE(is_remarked("renewal_skips_the_lease", renewed({}, 300)));
  EXPECT_FALSE(is_remarked("renewal_skips_the_lease", renewed({"expire"}, 300)));
  EXPECT_FALSE(is_remarked("renewal_skips_the_lease", renewed({}, 60'000)));
}

}  // namespace
}  // namespace learning
