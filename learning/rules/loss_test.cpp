// Rules about a lost lock: whether its holder is told, and what he does then.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfLoss, KeepsALossToItself) {
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

TEST(RuleOfLoss, WorksAfterTheWord) {
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

TEST(RuleOfLoss, TellsOfAReleaseButNotOfALeaseThatIsOver) {
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

TEST(RuleOfLoss, TellsWhoMayStillHaveWhatHeGaveBack) {
  const auto given_back = [](const std::string& outcome, bool told, int stood_still = 0) {
    Wire tale;
    tale.judges(faults::Property::holder_was_told);
    tale.takes("A").asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock 787b…", {});
    if (stood_still > 0) tale.add("", Kind::stood_still, {{"for_ms", stood_still}});
    tale.is_told("A", "release", outcome).time_passes(30);
    if (told) tale.add("A", Kind::told, {{"event", "lost"}});
    tale.server("expired");
    return tale.time_passes(40);
  };
  EXPECT_TRUE(is_remarked("not_told_after_a_release", given_back("unknown", false)));
  EXPECT_FALSE(is_remarked("not_told_after_a_release", given_back("unknown", true)));
  EXPECT_FALSE(is_remarked("not_told_after_a_release", given_back("released", false)));
  EXPECT_TRUE(is_remarked("not_told_after_a_release", given_back("unknown", false, 80)));
  EXPECT_FALSE(is_remarked("not_told_after_a_release", given_back("unknown", false, 200)));
}

// Of several servers the lease is over where a majority says so.
TEST(RuleOfLoss, TellsWhoMayStillHaveAMajority) {
  const auto expired_on = [](const std::vector<int>& nodes) {
    Wire tale(3);
    tale.judges(faults::Property::holder_was_told);
    tale.acquires_on({1, 2, 3}, "A");
    tale.asks_to("A", "release").is_told("A", "release", "unknown");
    tale.server_on(nodes, "expired");
    return tale.time_passes(40);
  };
  EXPECT_TRUE(is_remarked("not_told_after_a_release", expired_on({1, 2})));
  EXPECT_FALSE(is_remarked("not_told_after_a_release", expired_on({1})));
}

}  // namespace
}  // namespace learning
