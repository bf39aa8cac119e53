// Rules about fencing tokens.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learning/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

TEST(RuleOfFencing, TokenIsKeptOnReentryButNotByANewHold) {
  enum class Between { nothing, told, gone };
  const auto takes_twice = [](Between between) {
    const std::string entering = "EVALSHA a11c… 3 lock lock:fencing marker 787b…";
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", entering, {"hset"}, "60000 1");
    answer_with_token(tale, "A", 1, 1);
    if (between == Between::told) tale.add("A", Kind::told, {{"event", "lost"}});
    if (between == Between::gone) {
      tale.add("redis", Kind::server, {{"what", "expired"}, {"key", lock_key}});
    }
    tale.asks_to("A", "acquire").sends("A", entering, {"hset"}, "60000 2");
    answer_with_token(tale, "A", 2, 2);
    return tale;
  };
  EXPECT_TRUE(is_remarked("token_lost_on_reentry", takes_twice(Between::nothing)));
  EXPECT_FALSE(is_remarked("token_lost_on_reentry", takes_twice(Between::told)));
  EXPECT_FALSE(is_remarked("token_lost_on_reentry", takes_twice(Between::gone)));
}

TEST(RuleOfFencing, TokenCountsTheVotes) {
  const auto counted = [](int each, int token) {
    Wire tale(5);
    tale.asks_to("A", "acquire");
    for (int node = 1; node <= 5; ++node) {
      tale.sends("A", "EVALSHA a11c… 3 lock lock:fencing marker 787b…", {"hset"},
                 fmt::format("60000 {}", each), fmt::format("node{}", node));
    }
    answer_with_token(tale, "A", 1, token);
    return tale;
  };
  EXPECT_TRUE(is_said("token_counts_the_votes", counted(9, 5)));
  EXPECT_FALSE(is_said("token_counts_the_votes", counted(9, 9)));
  EXPECT_FALSE(is_said("token_counts_the_votes", counted(1, 5)));  // so much is their sum as well
}

// B gets the token that A has, and A's write is lost. node4 had counted B to `counted` when it
// heard of B's second round, and answers that with `raised`.
Wire token_of_two(int counted, const std::string& raised) {
  const std::string entering = "EVALSHA a11c… 3 lock lock:fencing marker 787b…";
  Wire tale(5);
  tale.asks_to("B", "acquire").sends("B", entering, {"hset"}, "60000 2", "node2");
  tale.asks_to("A", "acquire");
  answer_with_token(tale, "A", 2, 2);
  tale.sends("B", entering, {"hset"}, fmt::format("60000 {}", counted), "node4")
      .sends("B", "EVALSHA 4a15… 2 lock lock:fencing 787b… 2", {}, raised, "node4");
  answer_with_token(tale, "B", 1, 2);
  tale.reads("A", 0).reads("B", 0).writes("B", 1).writes("A", 1);
  return tale;
}

TEST(RuleOfFencing, PastTakenForStoredButNotWhereTheServerRefused) {
  EXPECT_TRUE(is_said("past_taken_for_stored", token_of_two(3, "1")));
  EXPECT_FALSE(is_said("past_taken_for_stored", token_of_two(2, "1")));
  EXPECT_FALSE(is_said("past_taken_for_stored", token_of_two(3, "-1")));
}

// B hears these counts, raises node2 to `raised` (or does not) and gets `reply`, and is told
// `token`.
Wire counted(const std::vector<int>& counts, int raised, const std::string& reply, int token) {
  Wire tale(5);
  tale.asks_to("B", "acquire");
  int node = 0;
  for (const int count : counts) {
    tale.sends("B", "EVALSHA a11c… 2 lock lock:fencing 41ea… 60000", {"hset"},
               fmt::format("60000 {}", count), fmt::format("node{}", ++node));
  }
  if (raised > 0) {
    tale.sends("B", fmt::format("EVALSHA 4a15… 2 lock lock:fencing 41ea… {}", raised), {}, reply,
               "node2");
  }
  if (token == 0) return tale.is_told("B", "acquire", "contended");
  answer_with_token(tale, "B", 1, token);
  return tale;
}

TEST(RuleOfFencing, TokenIsNotTheGreatestOfAnyMajority) {
  const std::string rule = "token_is_not_the_greatest";
  EXPECT_TRUE(is_said(rule, counted({9, 11, 9}, 9, "-1", 0)));
  EXPECT_TRUE(is_said(rule, counted({9, 11, 9}, 0, "", 9)));
  EXPECT_FALSE(is_said(rule, counted({9, 11, 9}, 11, "1", 11)));
  EXPECT_FALSE(is_said(rule, counted({9, 11, 9}, 11, "0", 0)));
  // Of five the last two may have come when three had been counted.
  EXPECT_FALSE(is_said(rule, counted({9, 9, 9, 11, 11}, 0, "", 9)));
  EXPECT_FALSE(is_said(rule, counted({9, 11}, 0, "", 9)));
}

TEST(RuleOfFencing, TokenOfTwoIsOfTooFewButNotBeforeTheSecondRound) {
  const std::string rule = "token_of_too_few_nodes";
  EXPECT_TRUE(is_remarked(rule, counted({1, 2, 2}, 0, "", 2)));
  EXPECT_FALSE(is_remarked(rule, counted({2, 2, 2}, 0, "", 2)));
  EXPECT_FALSE(is_remarked(rule, counted({1, 2, 2}, 2, "1", 2)));
  auto killed = counted({1, 2, 2}, 0, "", 0);
  killed.record.pop_back();  // it was never told
  EXPECT_FALSE(is_remarked(rule, killed.fault("B", faults::fault::killed)));
}

// A majority lets A in, and then node1 is asked about `keys`.
Wire asked_once_more(const std::string& keys) {
  Wire tale(5);
  tale.asks_to("A", "acquire");
  for (const auto* node : {"node1", "node2", "node3"}) {
    tale.sends("A", "EVALSHA a11c… 2 lock lock… 787b… 300", {"hset"}, "300 1", node);
  }
  tale.sends("A", "EVALSHA 4a15… " + keys, {}, "1 1", "node1");
  answer_with_token(tale, "A", 1, 1);
  return tale;
}

TEST(RuleOfFencing, TokenIsReadAgainButNotInASecondRoundAboutTheLock) {
  EXPECT_TRUE(is_said("token_is_read_again", asked_once_more("1 lock:fencing")));
  EXPECT_FALSE(is_said("token_is_read_again", asked_once_more("2 lock lock:fencing 787b… 1")));
}

// Three servers count A to 1, 2 and 3.
Wire counted_to_six(int token) {
  Wire tale(5);
  tale.asks_to("A", "acquire");
  int count = 0;
  for (const auto* node : {"node1", "node2", "node3"}) {
    tale.sends("A", "EVALSHA a11c… 2 lock lock… 787b… 300", {"hset"},
               fmt::format("300 {}", ++count), node);
  }
  answer_with_token(tale, "A", 1, token);
  return tale;
}

TEST(RuleOfFencing, TokenIsASum) {
  EXPECT_TRUE(is_said("token_is_a_sum", counted_to_six(6)));
  EXPECT_FALSE(is_said("token_is_a_sum", counted_to_six(3)));
  EXPECT_FALSE(is_said("token_is_a_sum", counted_to_six(7)));
  // What the servers counted for a try before is not in it.
  Wire again(5);
  again.asks_to("A", "acquire");
  for (const auto* token : {"41ea…", "787b…"}) {
    for (const auto* node : {"node1", "node2", "node3"}) {
      const auto entering = fmt::format("EVALSHA a11c… 2 lock lock… {} 300", token);
      again.sends("A", entering, {"hset"}, token[0] == '4' ? "300 2" : "300 5", node);
    }
  }
  answer_with_token(again, "A", 1, 6);
  EXPECT_FALSE(is_said("token_is_a_sum", again));
}

TEST(RuleOfFencing, ATokenOfItsOwnThatAMajorityHasStoredIsTheServers) {
  const auto one_more = [](int token, const std::string& stored) {
    Wire tale(5);
    tale.asks_to("A", "acquire");
    const auto asks = [&](const std::string& words, const std::string& reply) {
      for (const auto* node : {"node1", "node2", "node3"}) {
        tale.sends("A", words, {}, reply, node);
      }
    };
    asks("EVALSHA a11c… 2 lock lock:fencing 787b… 300", "300 1");
    asks(fmt::format("EVALSHA 4a15… 2 lock lock:fencing 787b… {}", token), stored);
    answer_with_token(tale, "A", 1, token);
    return tale;
  };
  EXPECT_TRUE(is_said("token_of_no_server", one_more(2, "0")));
  EXPECT_FALSE(is_said("token_of_no_server", one_more(2, "1")));
}

}  // namespace
}  // namespace learning
