// Rules about asking several servers.
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

const std::string question = "EVALSHA a11c… 1 lock 787b… 300";
const std::string taking_back = "EVALSHA 316f… 1 lock 787b…";

TEST(RuleOfFanOut, OneAfterAnotherIsNotAllAtOnce) {
  const auto asks = [](int events_between) {
    Wire tale(5);
    tale.acquires_on({1, 2, 3}, "B");
    tale.asks_to("A", "acquire", {{"wait_ms", 100}, {"must_get_in", true}});
    for (int node = 1; node <= 5; ++node) {
      tale.command_to(node, "A", question);
      tale.time_passes(events_between);
    }
    tale.is_told("A", "acquire", "contended");
    return tale;
  };
  EXPECT_TRUE(is_said("asks_one_after_another", asks(50)));
  EXPECT_FALSE(is_said("asks_one_after_another", asks(0)));
}

TEST(RuleOfFanOut, WhoComesRoundOnceMoreHasAskedAllBefore) {
  Wire tale(5);
  tale.asks_to("A", "acquire");
  for (int round = 1; round <= 3; ++round) {
    for (int node = 1; node < 5; ++node) tale.command_to(node, "A", question);
    tale.time_passes(50);
  }
  tale.command_to(5, "A", question);  // it was away until now
  tale.is_told("A", "acquire", "contended");
  EXPECT_FALSE(is_said("asks_one_after_another", tale));
}

TEST(RuleOfFanOut, WhatIsTakenBackCanBeOvertaken) {
  const auto gives_back = [](bool in_order) {
    const auto sends = [](Wire& tale, const std::string& text) { tale.command_to(1, "A", text); };
    const auto does = [](Wire& tale, const char* what) {
      tale.add("node1", Kind::server, {{"what", what}, {"key", lock_key}});
    };
    Wire tale(5);
    tale.asks_to("A", "acquire");
    sends(tale, "EVAL --… 1 lock 787b… 300");
    sends(tale, taking_back);
    does(tale, "hset");
    if (in_order) does(tale, "del");
    tale.add("A", Kind::reply, {{"from", "node1"}, {"command", "EVAL"}, {"text", "300"}});
    tale.add("A", Kind::reply,
             {{"from", "node1"}, {"command", "EVALSHA"}, {"text", in_order ? "1" : "0"}});
    return tale.is_told("A", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("take_back_overtakes", gives_back(false)));
  EXPECT_FALSE(is_said("take_back_overtakes", gives_back(true)));
}

TEST(RuleOfFanOut, WhatIsAskedAnewIsNotWhatWasTakenBack) {
  const auto asks_anew = [](bool anew) {
    const auto replies = [](Wire& tale, const char* command, const char* text) {
      tale.add("A", Kind::reply, {{"from", "node1"}, {"command", command}, {"text", text}});
    };
    Wire tale(5);
    tale.asks_to("A", "acquire").command_to(1, "A", "EVAL --… 1 lock 787b… 300");
    tale.command_to(1, "A", taking_back);
    replies(tale, "EVAL", "300");
    replies(tale, "EVALSHA", "0");
    if (anew) tale.command_to(1, "A", "EVALSHA a11c… 1 lock 41ea… 300");
    tale.add("node1", Kind::server, {{"what", "hset"}, {"key", lock_key}});
    return tale.is_told("A", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("take_back_overtakes", asks_anew(false)));
  EXPECT_FALSE(is_said("take_back_overtakes", asks_anew(true)));
}

}  // namespace
}  // namespace learning
