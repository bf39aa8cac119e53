#include "faults/explore/states/state_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/explore/states/word_names.h"

namespace explore {
namespace {

using testing::ElementsAre;

constexpr std::size_t plenty = 1U << 20U;

// A state that is known by a number.
StateHash state(std::uint64_t number) {
  return {.first = number, .second = number};
}

TEST(StateGraph, GivesEachEventOfAStateOnce) {
  StateGraph graph(plenty);
  const auto first = graph.visit({.state = state(1), .events = {"A: begin", "time"}});
  EXPECT_FALSE(first.is_known);
  EXPECT_THAT(first.mine, ElementsAre(true, true));
  const auto again = graph.visit({.state = state(1), .events = {"A: begin", "A: kill"}});
  EXPECT_TRUE(again.is_known);
  EXPECT_EQ(again.place, first.place);
  EXPECT_THAT(again.mine, ElementsAre(false, true));
  EXPECT_EQ(graph.states(), 1);
  EXPECT_EQ(graph.edges(), 3);
}

TEST(StateGraph, CountsTheEdgesThatAreOpen) {
  StateGraph graph(plenty);
  const auto root = graph.visit({.state = state(1), .events = {"A: begin", "time"}}).place;
  EXPECT_EQ(graph.open_edges(), 2);
  (void)graph.visit({.state = state(2), .from = root, .event = "time"});
  EXPECT_EQ(graph.open_edges(), 1);
}

TEST(StateGraph, TellsTwoStatesApartByEitherHalf) {
  StateGraph graph(plenty);
  (void)graph.visit({.state = {.first = 1, .second = 1}});
  EXPECT_FALSE(graph.visit({.state = {.first = 1, .second = 2}}).is_known);
  EXPECT_FALSE(graph.visit({.state = {.first = 2, .second = 1}}).is_known);
}

TEST(StateGraph, KeepsNoStateOnceItsMemoryIsFull) {
  StateGraph graph(1);
  EXPECT_NE(graph.visit({.state = state(1)}).place, StateGraph::nowhere);
  EXPECT_FALSE(graph.is_full());
  for (int i = 0; i < 2; ++i) {
    const auto full = graph.visit({.state = state(2), .events = {"A: begin"}});
    EXPECT_FALSE(full.is_known);
    EXPECT_THAT(full.mine, ElementsAre(true));
  }
  EXPECT_TRUE(graph.is_full());
  EXPECT_EQ(graph.states(), 1);
}

TEST(StateGraph, KnowsTheShortestWayToWhatIsBroken) {
  StateGraph graph(plenty);
  const auto root = graph.visit({.state = state(1), .events = {"A: send", "B: send"}}).place;
  const auto slow =
      graph.visit({.state = state(2), .from = root, .event = "A: send", .events = {"A: reply"}});
  const auto more =
      graph.visit({.state = state(3), .from = slow.place, .event = "A: reply", .events = {"time"}});
  const auto end =
      graph.visit({.state = state(4), .broken = "liveness", .from = more.place, .event = "time"});
  EXPECT_THAT(graph.shortest_to("liveness"), ElementsAre("A: send", "A: reply", "time"));
  EXPECT_THAT(graph.path_to(end.place), ElementsAre("A: send", "A: reply", "time"));
  (void)graph.visit({.state = state(4), .from = root, .event = "B: send"});
  EXPECT_THAT(graph.shortest_to("liveness"), ElementsAre("B: send"));
  EXPECT_THAT(graph.shortest_to("mutual exclusion"), testing::IsEmpty());
}

TEST(StateGraph, SaysWhatBrokeWhereARunEnded) {
  StateGraph graph(plenty);
  const auto place = graph.visit({.state = state(1)}).place;
  EXPECT_EQ(graph.broken_at(place), std::nullopt);
  graph.judge(place, "liveness");
  EXPECT_EQ(graph.broken_at(place), "liveness");
}

TEST(StateHash, DependsOnWhereAFieldEnds) {
  EXPECT_NE(hash_of({{"a", "bc"}}), hash_of({{"ab", "c"}}));
  EXPECT_NE(hash_of({{"a", "b"}, {"c", ""}}), hash_of({{"a", "bc"}}));
  EXPECT_EQ(hash_of({{"a", "b"}}), hash_of({{"a", "b"}}));
}

TEST(FirstDifference, NamesTheField) {
  EXPECT_EQ(first_difference({{"a", "b"}, {"c", "d"}}, {{"a", "b"}, {"c", "e"}}),
            "c: \"d\" and \"e\"");
  EXPECT_EQ(first_difference({{"a", "b"}}, {{"a", "b"}, {"c", "e"}}), "c: \"\" and \"e\"");
  EXPECT_EQ(first_difference({{"a", "b"}}, {{"a", "b"}}), std::nullopt);
}

TEST(WordNames, AreTheSameForOtherTokens) {
  const auto named = [](const std::string& a, const std::string& b, const std::string& text) {
    WordNames names;
    names.add("A", {a}, {"SET 1"});
    names.add("B", {b}, {"SET 1"});
    return names.in(text);
  };
  EXPECT_EQ(named("token-one", "token-two", "token-one holds"),
            named("1f93ac0012", "77abcd0012", "1f93ac0012 holds"));
  EXPECT_NE(named("token-one", "token-two", "token-one holds"),
            named("token-one", "token-two", "token-two holds"));
  EXPECT_FALSE(WordNames::is_named("1900000300"));
  EXPECT_FALSE(WordNames::is_named("SET"));
}

// Of a client that has ended, whatever it had sent before.
TEST(WordNames, OfAnEndedClientAreNumberedAsTheyAppear) {
  const auto named = [](const std::vector<std::string>& of_ended, const std::string& text) {
    WordNames names;
    names.add("B", {"token-of-B"}, {"SET 1"});
    names.add_ended("A", of_ended);
    return names.in(text);
  };
  EXPECT_EQ(named({"token-one", "token-of-B"}, "token-of-B, token-one"),
            named({"token-of-B", "something", "token-two"}, "token-of-B, token-two"));
  EXPECT_NE(named({"token-one"}, "token-of-B"), named({"token-one"}, "token-one"));
}

// One that begins another must not hide in it.
TEST(WordNames, ReplaceTheLongerFirst) {
  WordNames names;
  names.add("A", {"token-on", "token-one"}, {"SET 1", "SET 2"});
  EXPECT_NE(names.in("token-one"), names.in("token-on") + "e");
}

}  // namespace
}  // namespace explore
