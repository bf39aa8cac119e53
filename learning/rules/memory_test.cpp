// Rules about what a lock remembers of a hold, and how long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

TEST(RuleOfMemory, RefusesWhatIsFreeWithoutAsking) {
  const auto refused = [](Wire tale, bool asks) {
    tale.asks_to("B", "acquire");
    if (asks) tale.sends("B", "SET lock 41ea… NX PX 300", {}, "nil");
    return tale.is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("refused_without_asking", refused(Wire(), false)));
  EXPECT_FALSE(is_said("refused_without_asking", refused(Wire(), true)));
  EXPECT_FALSE(is_said("refused_without_asking", refused(Wire().takes("A"), false)));
  // Only who was let in once has something to remember.
  const auto sentence = [&](Wire tale) {
    return diagnose(Evidence(refused(std::move(tale), false).stops("").record))->sentence;
  };
  Wire again;
  again.takes("B").asks_to("B", "release").sends("B", "EVALSHA 316f… 1 lock 787b…", {"del"}, "1");
  again.is_told("B", "release", "released");
  EXPECT_THAT(sentence(again), testing::HasSubstr("asked nobody"));
  EXPECT_THAT(sentence(again), testing::HasSubstr("what the lock remembers"));
  EXPECT_THAT(sentence(Wire()), testing::HasSubstr("asked nobody"));
  EXPECT_THAT(sentence(Wire()), testing::Not(testing::HasSubstr("what the lock remembers")));
}

TEST(RuleOfMemory, ForgetsWhatItHasButNotWhatAnotherThreadHas) {
  const auto not_held = [](Wire tale, int thread = 1) {
    return tale.asks_to("A", "release", {{"thread", thread}}).is_told("A", "release", "not_held");
  };
  EXPECT_TRUE(is_said("forgets_what_it_has", not_held(Wire().takes("A"))));
  EXPECT_FALSE(is_said("forgets_what_it_has", not_held(Wire())));
  EXPECT_FALSE(is_said("forgets_what_it_has", not_held(Wire().takes("A"), 2)));
  Wire over;
  over.takes("A").add("redis", faults::Kind::server, {{"what", "expired"}, {"key", lock_key}});
  EXPECT_FALSE(is_said("forgets_what_it_has", not_held(over)));
}

TEST(RuleOfMemory, RenewsAfterAnUnheardReleaseButNotWhatIsStillInside) {
  const auto renewed = [](int levels, int events, int servers = 1) {
    Wire tale(servers);
    for (int i = 0; i < levels; ++i) tale.takes("A");
    tale.asks_to("A", "release").sends("A", "EVALSHA 316f… 1 lock 787b…", {});
    tale.add("A", faults::Kind::fault,
             {{"what", faults::fault::reset}, {"side", "command"}, {"server", "redis"}});
    tale.is_told("A", "release", "unknown");
    tale.time_passes(events).sends("A", as_renewal, {"expire"}, "1");
    tale.asks_to("B", "acquire", {{"must_get_in", true}, {"wait_ms", 100}});
    tale.sends("B", "SET lock 41ea… NX PX 300", {}, "nil").time_passes(40);
    return tale.is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("renews_after_an_unheard_release", renewed(1, 40)));
  EXPECT_FALSE(is_said("renews_after_an_unheard_release", renewed(1, 1)));  // it was under way
  EXPECT_FALSE(is_said("renews_after_an_unheard_release", renewed(2, 40)));
  EXPECT_TRUE(is_said("renews_after_an_unheard_release", renewed(1, 40, 3)));
}

TEST(RuleOfMemory, RenewsForLongerThanAsked) {
  const auto renewed_for = [](const std::string& lease) {
    Wire tale;
    tale.takes("A").asks_to("B", "acquire", {{"wait_ms", 100}, {"must_get_in", true}});
    tale.sends("A", "EVALSHA 704d… 1 lock 787b… " + lease, {"expire"}, "1");
    return tale.time_passes(10).is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("renews_for_longer_than_asked", renewed_for("30000")));
  EXPECT_FALSE(is_said("renews_for_longer_than_asked", renewed_for("300")));
}

}  // namespace
}  // namespace learning
