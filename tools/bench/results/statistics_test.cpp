#include "tools/bench/results/statistics.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Percentile, IsAValueThatWasMeasured) {
  EXPECT_EQ(percentile<int>({40, 10, 30, 20}, 0.5), 20);
  EXPECT_EQ(percentile<int>({40, 10, 30, 20}, 0.51), 30);
  EXPECT_EQ(percentile<int>({40, 10, 30, 20}, 0), 10);
  EXPECT_EQ(percentile<int>({40, 10, 30, 20}, 1), 40);
}

TEST(Percentile, OfAHundredLeavesOneOutAt99) {
  std::vector<int> samples;
  for (int i = 1; i <= 100; ++i) samples.push_back(i);
  EXPECT_EQ(percentile(samples, 0.99), 99);
}

TEST(Percentile, NeedsSamples) {
  EXPECT_THROW((void)percentile<int>({}, 0.5), std::invalid_argument);
}

TEST(Median, IsTheMiddleOrBetweenTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(median({3}), 3);
  EXPECT_DOUBLE_EQ(median({9, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({9, 1, 2, 4}), 3);
}

TEST(Median, IgnoresOneOutlier) {
  EXPECT_DOUBLE_EQ(median({1, 1, 1'000'000}), 1);
}

TEST(SpreadOf, GoesFromTheLeastToTheMost) {
  const auto spread = spread_of({5, 1, 3});
  EXPECT_DOUBLE_EQ(spread.least, 1);
  EXPECT_DOUBLE_EQ(spread.median, 3);
  EXPECT_DOUBLE_EQ(spread.most, 5);
}

TEST(LieApart, OnlyWithNothingInCommon) {
  EXPECT_TRUE(lie_apart({1, 2, 3}, {4, 5, 6}));
  EXPECT_TRUE(lie_apart({4, 5, 6}, {1, 2, 3}));
  EXPECT_FALSE(lie_apart({1, 2, 3}, {3, 5, 6}));
}

}  // namespace
}  // namespace bench
