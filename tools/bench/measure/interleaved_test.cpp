#include "tools/bench/measure/interleaved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using testing::ElementsAre;

TEST(MeasureInterleaved, TakesTurnsAndAnotherOneBegins) {
  std::string order;
  const auto candidate = [&](char letter) {
    return Candidate{.name = {letter}, .once = [&order, letter] { order += letter; }};
  };
  const auto measured = measure_interleaved({candidate('a'), candidate('b')}, 2, 3);
  EXPECT_EQ(order,
            "aaabbb"
            "aaabbb"
            "bbbaaa")
      << "the first two batches are not counted";
  EXPECT_EQ(measured[0].times.size(), 6U);
  EXPECT_EQ(measured[1].batches.size(), 2U);
}

TEST(MeasureInterleaved, StopsAtTheFirstWrongResult) {
  const Candidate wrong{.name = "wrong", .once = [] { throw std::runtime_error("wrong"); }};
  EXPECT_THROW((void)measure_interleaved({wrong}, 1, 1), std::runtime_error);
}

TEST(SpeedRatio, IsTheMedianOverTheRounds) {
  const Measured fast{.times = {}, .batches = {1, 1, 1}};
  const Measured slow{.times = {}, .batches = {2, 2, 100}};
  EXPECT_DOUBLE_EQ(speed_ratio(fast, slow), 2);
  EXPECT_DOUBLE_EQ(speed_ratio(slow, fast), 0.5);
  EXPECT_DOUBLE_EQ(slow.per_second(), 0.5);
}

}  // namespace
}  // namespace bench
