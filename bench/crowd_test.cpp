#include "bench/crowd.h"

#include <gtest/gtest.h>

#include "bench/case.h"

namespace bench {
namespace {

Turn turn(int asked, int acquired, int releasing, int released) {
  return {.asked = Nanoseconds(asked),
          .acquired = Nanoseconds(acquired),
          .releasing = Nanoseconds(releasing),
          .released = Nanoseconds(released)};
}

const Nanoseconds begin{0};
const Nanoseconds end{std::chrono::seconds(1)};

TEST(CrowdOf, AHandOffGoesFromTheReleaseToTheNextWhoWaited) {
  const auto crowd = crowd_of({{turn(0, 10, 100, 120)}, {turn(5, 130, 200, 210)}}, begin, end);
  EXPECT_EQ(crowd.handoff_p50, Nanoseconds(30));
  EXPECT_EQ(crowd.longest_wait, Nanoseconds(125));
}

TEST(CrowdOf, WhoCameLaterWasHandedNothing) {
  const auto crowd = crowd_of({{turn(0, 10, 100, 120)}, {turn(150, 160, 200, 210)}}, begin, end);
  EXPECT_EQ(crowd.handoff_p50, Nanoseconds(0));
}

TEST(CrowdOf, CountsTheLuckyAndTheUnlucky) {
  const auto crowd =
      crowd_of({{turn(0, 1, 2, 3), turn(4, 5, 6, 7)}, {turn(7, 8, 9, 10)}}, begin, end);
  EXPECT_DOUBLE_EQ(crowd.least, 1);
  EXPECT_DOUBLE_EQ(crowd.most, 2);
  EXPECT_DOUBLE_EQ(crowd.per_second, 3);
}

TEST(CrowdOf, LeavesOutWhatWasBeforeItBegan) {
  const auto crowd = crowd_of({{turn(0, 400, 410, 420), turn(500, 520, 530, 540)},
                               {turn(405, 515, 518, 519), turn(525, 535, 536, 537)}},
                              Nanoseconds(510), end);
  EXPECT_EQ(crowd.handoff_p99, Nanoseconds(105)) << "of the one that went on when it began";
  EXPECT_EQ(crowd.handoff_p50, Nanoseconds(5));
  EXPECT_EQ(crowd.longest_wait, Nanoseconds(110));
  EXPECT_DOUBLE_EQ(crowd.least, 1);
}

TEST(CrowdOf, TwoAtOnceAreAWrongResultAlsoBeforeItBegan) {
  EXPECT_THROW(
      (void)crowd_of({{turn(0, 10, 100, 120)}, {turn(5, 99, 200, 210)}}, Nanoseconds(150), end),
      WrongResult);
}

TEST(CrowdOf, TwoAtOnceAreAWrongResult) {
  EXPECT_THROW((void)crowd_of({{turn(0, 10, 100, 120)}, {turn(5, 99, 200, 210)}}, begin, end),
               WrongResult);
}

TEST(CrowdOf, NobodyEverIsAWrongResult) {
  EXPECT_THROW((void)crowd_of({{}, {}}, begin, end), WrongResult);
}

TEST(WorkerPlans, ComeThroughJson) {
  const WorkerPlan plan{
      .stand = {.stage = 7, .nodes = {core::Address::parse("127.0.0.1:1234")}, .way = "own"},
      .held = std::chrono::milliseconds(1),
      .pause = std::chrono::milliseconds(5)};
  const auto read = worker_plan(to_json(plan));
  EXPECT_EQ(read.stand.stage, 7);
  EXPECT_EQ(read.stand.nodes, plan.stand.nodes);
  EXPECT_EQ(read.held, plan.held);
  EXPECT_EQ(read.pause, plan.pause);
}

TEST(TurnsOfAWorker, ComeThroughJson) {
  const auto read = turns_from(to_json(Turns{turn(1, 2, 3, 4)}));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].releasing, Nanoseconds(3));
}

}  // namespace
}  // namespace bench
