// Rules about the counters that fencing tokens come from.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

// Two holds, one after the other, with these fencing tokens, after `event` on the counter.
Wire fenced(int first, int second, const std::string& event) {
  Wire tale;
  int id = 0;
  for (const int token : {first, second}) {
    const std::string lane = ++id == 1 ? "A" : "B";
    tale.asks_to(lane, "acquire");
    if (!event.empty()) {
      tale.add("redis", Kind::server, {{"what", event}, {"key", "lock:fencing"}});
    }
    answer_with_token(tale, lane, id, token);
  }
  return tale;
}

TEST(RuleOfCounter, CounterIsNotCounted) {
  EXPECT_TRUE(is_said("counter_is_not_counted", fenced(0, 0, "")));
  EXPECT_FALSE(is_said("counter_is_not_counted", fenced(1, 1, "incrby")));
  EXPECT_FALSE(is_said("counter_is_not_counted", fenced(1, 2, "")));
}

TEST(RuleOfCounter, CounterStartsAgainButNotForTwoThatAskedAtTheSameTime) {
  EXPECT_TRUE(is_said("counter_starts_again", fenced(8, 7, "")));
  Wire together;
  together.asks_to("A", "acquire").asks_to("B", "acquire");
  answer_with_token(together, "B", 2, 8);
  answer_with_token(together, "A", 1, 7);
  EXPECT_FALSE(is_said("counter_starts_again", together));
}

// A has the hold 787b, which `redis` loses and is given back, and joins with `token`.
TEST(RuleOfCounter, CounterStartsAgainButNotForWhoJoinsWhatWasGivenBack) {
  const auto joins = [](const std::string& token) {
    Wire tale;
    int id = 0;
    const auto answers = [&] {
      tale.add("A", Kind::answer,
               {{"op", "acquire"},
                {"id", ++id},
                {"outcome", "acquired"},
                {"token", "787b"},
                {"fencing_token", 8}});
    };
    tale.asks_to("A", "acquire");
    answers();
    tale.fault("redis", faults::fault::removed);
    tale.asks_to("A", "acquire", {{"join", token}});
    answers();
    return tale;
  };
  EXPECT_FALSE(is_said("counter_starts_again", joins("787b")));
  EXPECT_TRUE(is_said("counter_starts_again", joins("41ea")));
}

TEST(RuleOfCounter, CounterIsRemoved) {
  EXPECT_TRUE(is_said("counter_is_removed", fenced(1, 1, "del")));
  EXPECT_FALSE(is_said("counter_is_removed", fenced(1, 2, "incrby")));
}

TEST(RuleOfCounter, CountedWithTheLockAndNotAfterIt) {
  const auto counts = [](bool with_it) {
    const auto count = [](Wire& tale) {
      tale.add("node1", Kind::server, {{"what", "incrby"}, {"key", "lock:fencing"}});
    };
    Wire tale(5);
    tale.asks_to("A", "acquire").command_to(1, "A", "EVALSHA a11c… 1 lock 787b… 300");
    tale.add("node1", Kind::server, {{"what", "hset"}, {"key", lock_key}});
    if (with_it) count(tale);
    const auto answers = [&](const char* text) {
      tale.add("A", Kind::reply, {{"from", "node1"}, {"command", "EVALSHA"}, {"text", text}});
    };
    answers("300 0");
    tale.command_to(1, "A", "EVALSHA 4a15… 2 lock lock:fencing 787b…");
    count(tale);
    answers("1");
    return tale.is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("counted_after_the_lock", counts(false)));
  EXPECT_FALSE(is_said("counted_after_the_lock", counts(true)));
}

// While node1 lets A in B asks as well, is refused, and asks once more.
TEST(RuleOfCounter, WhoWasRefusedAtTheSameTimeHasNotTakenIt) {
  Wire tale(5);
  tale.asks_to("A", "acquire").asks_to("B", "acquire");
  tale.command_to(1, "A", "EVALSHA a11c… 2 lock lock:fencing 787b… 300");
  const auto counts = [&] {
    tale.add("node1", Kind::server, {{"what", "incrby"}, {"key", "lock:fencing"}});
  };
  const auto sets = [&] { tale.server_on({1}, "hset"); };
  const auto answers = [&](const std::string& lane, const std::string& text) {
    tale.add(lane, Kind::reply, {{"from", "node1"}, {"command", "EVALSHA"}, {"text", text}});
  };
  counts();
  tale.command_to(1, "B", "EVALSHA a11c… 2 lock lock:fencing 41ea… 300");
  sets();
  answers("A", "300 1");
  answers("B", "-300 0");
  tale.command_to(1, "B", "EVALSHA a11c… 2 lock lock:fencing fc39… 300");
  counts();
  sets();
  answers("B", "300 2");
  EXPECT_FALSE(is_remarked("counted_after_the_lock", tale.is_told("B", "acquire", "acquired")));
}

TEST(RuleOfCounter, RaisedByOne) {
  // The server gives `next` to who comes after.
  const auto raised = [](int counted, const std::string& how, int next, bool restarts = false) {
    Wire tale(5);
    tale.asks_to("B", "acquire")
        .sends("B", "EVALSHA a11c… 2 lock lock:fencing 787b… 60000", {"hset"},
               fmt::format("60000 {}", counted), "node1")
        .command_to(1, "B", "EVALSHA 4a15… 2 lock lock:fencing 787b… 11");
    tale.add("node1", Kind::server, {{"what", how}, {"key", "lock:fencing"}});
    tale.add("B", Kind::reply, {{"from", "node1"}, {"command", "EVALSHA"}, {"text", "1"}});
    answer_with_token(tale, "B", 1, 11);
    // The same hold is told its own number.
    tale.asks_to("B", "acquire")
        .sends("B", "EVALSHA a11c… 2 lock lock:fencing 787b… 60000", {}, "60000 11", "node1");
    answer_with_token(tale, "B", 2, 11);
    if (restarts) tale.fault("node1", faults::fault::restarted);
    if (next == 0) return tale;
    tale.asks_to("C", "acquire")
        .sends("C", "EVALSHA a11c… 2 lock lock:fencing 41ea… 60000", {"hset"},
               fmt::format("60000 {}", next), "node1");
    return tale;
  };
  EXPECT_TRUE(is_remarked("raised_by_one", raised(9, "incrby", 11)));
  EXPECT_FALSE(is_remarked("raised_by_one", raised(9, "set", 12)));
  EXPECT_FALSE(is_remarked("raised_by_one", raised(10, "incrby", 12)));
  EXPECT_FALSE(is_remarked("raised_by_one", raised(9, "incrby", 12)));  // by INCRBY 2
  EXPECT_FALSE(is_remarked("raised_by_one", raised(9, "incrby", 0)));   // it may have been
  EXPECT_FALSE(is_remarked("raised_by_one", raised(9, "incrby", 1, true)));
}

TEST(RuleOfCounter, TokenCountsTheVotes) {
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

TEST(RuleOfCounter, TokenIsReadAgainButNotInASecondRoundAboutTheLock) {
  EXPECT_TRUE(is_said("token_is_read_again", asked_once_more("1 lock:fencing")));
  EXPECT_FALSE(is_said("token_is_read_again", asked_once_more("2 lock lock:fencing 787b… 1")));
}

// Three servers count A to 1, 2 and 3, which may have the lock already.
Wire counted_to_six(int token, bool inside = false) {
  Wire tale(5);
  if (inside) tale.asks_to("A", "acquire").is_told("A", "acquire", "acquired");
  tale.asks_to("A", "acquire");
  int count = 0;
  for (const auto* node : {"node1", "node2", "node3"}) {
    tale.sends("A", "EVALSHA a11c… 2 lock lock… 787b… 300", {"hset"},
               fmt::format("300 {}", ++count), node);
  }
  answer_with_token(tale, "A", inside ? 2 : 1, token);
  return tale;
}

TEST(RuleOfCounter, TokenIsASum) {
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

// One more than the greatest may look like a sum, and so may a token that grows on re-entry.
TEST(RuleOfCounter, TokenIsNoSumWhereAMajorityHasStoredItOrOnReentry) {
  const auto one_more = [](std::size_t stored) {
    Wire tale(5);
    tale.asks_to("A", "acquire");
    const std::vector<std::pair<std::string, std::string>> counted{
        {"node1", "300 1"}, {"node2", "300 0"}, {"node3", "300 1"}};
    for (const auto& [node, answer] : counted) {
      tale.sends("A", "EVALSHA a11c… 2 lock lock… 787b… 300", {"hset"}, answer, node);
    }
    for (std::size_t i = 0; i < stored; ++i) {
      tale.sends("A", "EVALSHA 4a15… 2 lock lock… 787b… 2", {}, "1", counted[i].first);
    }
    answer_with_token(tale, "A", 1, 2);
    return tale;
  };
  EXPECT_TRUE(is_said("token_is_a_sum", one_more(2)));
  EXPECT_FALSE(is_said("token_is_a_sum", one_more(3)));
  EXPECT_FALSE(is_said("token_is_a_sum", counted_to_six(6, true)));
}

}  // namespace
}  // namespace learning
