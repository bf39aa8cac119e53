#include "tools/model/comparison.h"

#include <gmock/gmock.h>

namespace model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Action act(const std::string& what) {
  return {.who = "A", .what = what, .effect = ""};
}

ActionEdge edge(const std::string& what, std::size_t next) {
  return {.action = act(what), .next = next, .label = "A: " + what};
}

ActionEdge hidden(const std::string& label, std::size_t next) {
  return {.action = std::nullopt, .next = next, .label = label};
}

// a, then b or c.
const ActionGraph fork{{edge("a", 1)}, {edge("b", 2), edge("c", 2)}, {}};

TEST(Comparison, CountsTheTracesThatBothHave) {
  const auto same = compare(fork, fork);
  EXPECT_FALSE(same.difference);
  EXPECT_EQ(same.traces, 2U);
  EXPECT_EQ(same.longest, 2U);
}

TEST(Comparison, LooksPastWhatTheModelDoesNotSee) {
  const ActionGraph program{
      {edge("a", 1)}, {hidden("x", 2), edge("c", 3)}, {hidden("y", 4)}, {}, {edge("b", 3)}};
  EXPECT_FALSE(compare(program, fork).difference);
  EXPECT_FALSE(compare(fork, program).difference);
}

TEST(Comparison, ShowsWhatOnlyTheProgramDoes) {
  const ActionGraph model{{edge("a", 1)}, {edge("b", 2)}, {}};
  const auto found = compare(fork, model).difference;
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_of_program);
  EXPECT_EQ(found->action, act("c"));
  EXPECT_THAT(found->schedule, ElementsAre("A: a", "A: c"));
  EXPECT_THAT(found->model, ElementsAre(act("b")));
}

TEST(Comparison, ShowsWhatOnlyTheModelAllows) {
  const ActionGraph program{{hidden("x", 1)}, {edge("a", 2)}, {edge("b", 3)}, {}};
  const auto found = compare(program, fork).difference;
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_of_program);
  EXPECT_EQ(found->action, act("c"));
  EXPECT_THAT(found->schedule, ElementsAre("x", "A: a"));
  EXPECT_THAT(found->program, ElementsAre(act("b")));
}

TEST(Comparison, NoticesThatTheProgramEndsEarlier) {
  const ActionGraph program{{edge("a", 1)}, {}};
  const auto found = compare(program, fork).difference;
  ASSERT_TRUE(found);
  EXPECT_THAT(found->program, IsEmpty());
  EXPECT_THAT(found->trace, ElementsAre(act("a")));
}

// Two states of the program after one trace: what is possible in either counts.
TEST(Comparison, CarriesEveryStateThatATraceLeadsTo) {
  const ActionGraph program{{edge("a", 1), edge("a", 2)}, {edge("b", 3)}, {edge("c", 3)}, {}};
  EXPECT_FALSE(compare(program, fork).difference);
}

}  // namespace
}  // namespace model
