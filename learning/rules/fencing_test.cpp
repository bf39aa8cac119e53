// Rules about fencing tokens.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;
using nlohmann::json;

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

TEST(RuleOfFencing, TokenIsToldWithoutAHold) {
  const auto gives_back = [](const json& more) {
    Wire tale(3);
    tale.acquires_on({1, 2, 3}, "A").call("A", "release");
    json answer{{"op", "release"}, {"id", 2}, {"outcome", "released"}};
    answer.update(more);
    return tale.add("A", Kind::answer, answer);
  };
  EXPECT_TRUE(is_remarked("token_without_a_hold", gives_back({{"fencing_token", 1}})));
  EXPECT_FALSE(is_remarked("token_without_a_hold", gives_back(json::object())));
}

// What is held on its way is nothing that a lock on several servers may fail for.
TEST(RuleOfFencing, IsMissingWhereAClientIsStopped) {
  const auto loses_a_write = [](std::string_view fault) {
    Wire tale(3);
    for (const auto* lane : {"A", "B"}) {
      tale.asks_to(lane, "acquire").asks(lane, {1, 2, 3}, "set");
      tale.is_told(lane, "acquire", "acquired").asks_to(lane, "work").reads(lane, 0);
      if (lane == std::string_view("A")) tale.fault("A", fault).server_on({1, 2, 3}, "expired");
    }
    tale.writes("A", 1).writes("B", 1);
    return tale;
  };
  EXPECT_TRUE(is_said("no_fencing_token", loses_a_write(faults::fault::frozen)));
  EXPECT_FALSE(is_said("no_fencing_token", loses_a_write(faults::fault::held)));
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

// What a second round answers is no token, also where it reads like it.
TEST(RuleOfFencing, ATokenOf0ReadsAs0WhateverTheSecondRoundAnswers) {
  Wire tale(5);
  tale.asks_to("A", "acquire");
  const auto asks = [&](const std::string& words, const std::string& reply) {
    for (const auto* node : {"node1", "node2", "node3"}) tale.sends("A", words, {}, reply, node);
  };
  asks("EVALSHA a11c… 2 lock lock:fencing 787b… 300", "300 1");
  asks("EVALSHA 4a15… 2 lock lock:fencing 787b… 1", "0");
  answer_with_token(tale, "A", 1, 0);
  EXPECT_TRUE(is_said("token_of_no_server", tale));
}

// B counts 9, 11 and 9, and its second round, which raises that to 11, is answered so.
Wire raised_to_eleven(const std::vector<std::string>& answers) {
  Wire tale(5);
  tale.asks_to("B", "acquire");
  int node = 0;
  for (const int count : {9, 11, 9}) {
    tale.sends("B", "EVALSHA a11c… 3 lock lock:fencing marker 787b…", {"hset"},
               fmt::format("60000 {}", count), fmt::format("node{}", ++node));
  }
  node = 0;
  for (const auto& answer : answers) {
    tale.sends("B", "EVALSHA 4a15… 2 lock lock:fencing 787b… 11", {}, answer,
               fmt::format("node{}", ++node));
  }
  return tale.is_told("B", "acquire", "unknown");
}

TEST(RuleOfFencing, CountersAreComparedAsTextsWhereOnlyTheGreaterTextIsRefused) {
  EXPECT_TRUE(is_said("counters_compared_as_text", raised_to_eleven({"-1", "1", "-1"})));
  EXPECT_FALSE(is_said("counters_compared_as_text", raised_to_eleven({"1", "1", "1"})));
  EXPECT_FALSE(is_said("counters_compared_as_text", raised_to_eleven({"nil", "nil", "nil"})));
}

TEST(RuleOfFencing, ARaiseRefusesItsOwnCount) {
  EXPECT_TRUE(is_said("raise_refuses_its_own_count", raised_to_eleven({"1", "-1", "1"})));
  EXPECT_FALSE(is_said("raise_refuses_its_own_count", raised_to_eleven({"1", "1", "1"})));
  EXPECT_FALSE(is_said("raise_refuses_its_own_count", raised_to_eleven({"-1", "-1", "1"})));
}

TEST(RuleOfFencing, AnAnswerHasNoToken) {
  const auto answered = [](const std::string& reply, int token) {
    Wire tale(5);
    tale.asks_to("A", "acquire");
    for (const auto* node : {"node1", "node2", "node3"}) {
      tale.sends("A", "EVALSHA a11c… 2 lock lock:fencing 787b… 300", {"hset"}, reply, node);
    }
    answer_with_token(tale, "A", 1, token);
    return tale;
  };
  EXPECT_TRUE(is_said("answer_has_no_token", answered("300", 0)));
  EXPECT_FALSE(is_said("answer_has_no_token", answered("300 0", 0)));
  EXPECT_FALSE(
      is_said("answer_has_no_token", answered("300", 7)));  // it asks for it in another way
}

}  // namespace
}  // namespace learning
