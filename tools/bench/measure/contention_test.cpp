#include "tools/bench/measure/contention.h"

#include <gtest/gtest.h>

#include "tools/bench/measure/wrong_result.h"

namespace bench {
namespace {

Acquisition acquisition(int asked, int acquired, int releasing, int released) {
  return {.asked = Nanoseconds(asked),
          .acquired = Nanoseconds(acquired),
          .releasing = Nanoseconds(releasing),
          .released = Nanoseconds(released)};
}

const Nanoseconds begin{0};
const Nanoseconds end{std::chrono::seconds(1)};

TEST(ContentionStatsOf, HandOffEndsWithTheNextWaiter) {
  const auto stats = contention_stats(
      {{acquisition(0, 10, 100, 120)}, {acquisition(5, 130, 200, 210)}}, begin, end);
  EXPECT_EQ(stats.handoff_p50, Nanoseconds(30));
  EXPECT_EQ(stats.longest_wait, Nanoseconds(125));
}

TEST(ContentionStatsOf, LateComersAreNoHandOff) {
  const auto stats = contention_stats(
      {{acquisition(0, 10, 100, 120)}, {acquisition(150, 160, 200, 210)}}, begin, end);
  EXPECT_EQ(stats.handoff_p50, Nanoseconds(0));
}

TEST(ContentionStatsOf, FindsLuckiestAndUnluckiestClient) {
  const auto stats = contention_stats(
      {{acquisition(0, 1, 2, 3), acquisition(4, 5, 6, 7)}, {acquisition(7, 8, 9, 10)}}, begin, end);
  EXPECT_DOUBLE_EQ(stats.least, 1);
  EXPECT_DOUBLE_EQ(stats.most, 2);
  EXPECT_DOUBLE_EQ(stats.per_second, 3);
}

TEST(ContentionStatsOf, LeavesOutWhatEndedBeforeTheBegin) {
  const auto stats =
      contention_stats({{acquisition(0, 400, 410, 420), acquisition(500, 520, 530, 540)},
                        {acquisition(405, 515, 518, 519), acquisition(525, 535, 536, 537)}},
                       Nanoseconds(510), end);
  EXPECT_EQ(stats.handoff_p99, Nanoseconds(105)) << "of the one that went on when it began";
  EXPECT_EQ(stats.handoff_p50, Nanoseconds(5));
  EXPECT_EQ(stats.longest_wait, Nanoseconds(110));
  EXPECT_DOUBLE_EQ(stats.least, 1);
}

TEST(ContentionStatsOf, RejectsTwoHoldersBeforeTheBegin) {
  EXPECT_THROW(
      (void)contention_stats({{acquisition(0, 10, 100, 120)}, {acquisition(5, 99, 200, 210)}},
                             Nanoseconds(150), end),
      WrongResult);
}

TEST(ContentionStatsOf, RejectsTwoHoldersAtOnce) {
  EXPECT_THROW((void)contention_stats(
                   {{acquisition(0, 10, 100, 120)}, {acquisition(5, 99, 200, 210)}}, begin, end),
               WrongResult);
}

TEST(ContentionStatsOf, RejectsARunWithoutHolders) {
  EXPECT_THROW((void)contention_stats({{}, {}}, begin, end), WrongResult);
}

TEST(WorkerPlans, ComeThroughJson) {
  const WorkerPlan plan{
      .fixture = {.stage = 7, .nodes = {core::Address::parse("127.0.0.1:1234")}, .way = "own"},
      .held = std::chrono::milliseconds(1),
      .pause = std::chrono::milliseconds(5)};
  const auto read = worker_plan(to_json(plan));
  EXPECT_EQ(read.fixture.stage, 7);
  EXPECT_EQ(read.fixture.nodes, plan.fixture.nodes);
  EXPECT_EQ(read.held, plan.held);
  EXPECT_EQ(read.pause, plan.pause);
}

TEST(AcquisitionsOfAWorker, ComeThroughJson) {
  const auto read = acquisitions_from(to_json(Acquisitions{acquisition(1, 2, 3, 4)}));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].releasing, Nanoseconds(3));
}

}  // namespace
}  // namespace bench
