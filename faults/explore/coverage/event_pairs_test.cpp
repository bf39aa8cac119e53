#include "faults/explore/coverage/event_pairs.h"

#include <gtest/gtest.h>

namespace explore {
namespace {

TEST(EventPairs, CountsThoseOfTwoParticipants) {
  EventPairs pairs;
  pairs.add({"A: begin", "A: send SET", "B: begin"});
  EXPECT_EQ(pairs.counts().one_order, 2);
  EXPECT_EQ(pairs.counts().both_orders, 0);
  pairs.add({"A: begin", "B: begin", "A: send SET", "time: a lease"});
  EXPECT_EQ(pairs.counts().both_orders, 1) << "A: send SET, and B: begin";
  EXPECT_EQ(pairs.counts().one_order, 4) << "A: begin and B: begin; time after each of three";
}

TEST(EventPairs, CountsNoneOfTwoRunsThatHaveOneEach) {
  EventPairs pairs;
  pairs.add({"A: begin"});
  pairs.add({"B: begin"});
  EXPECT_EQ(pairs.counts().one_order + pairs.counts().both_orders, 0);
}

TEST(EventPairs, TellsARepetitionFromTheFirst) {
  EventPairs pairs;
  pairs.add({"A: send GET", "B: begin", "A: send GET"});
  EXPECT_EQ(pairs.counts().both_orders, 0);
  EXPECT_EQ(pairs.counts().one_order, 2);
}

}  // namespace
}  // namespace explore
