#include "core/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using core::Pauses;
using core::Waiting;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using Clock = Pauses::Clock;

// All pauses of one wait, on a clock that only these pauses move; at most `most`.
std::vector<microseconds> all_pauses(const Waiting& waiting, std::size_t most = 10'000) {
  auto now = Clock::now();
  Pauses pauses(waiting, now);
  std::vector<microseconds> made;
  while (made.size() < most) {
    const auto pause = pauses.next(now);
    if (!pause) break;
    now += *pause;
    made.push_back(*pause);
  }
  return made;
}

microseconds sum(const std::vector<microseconds>& pauses) {
  microseconds total{0};
  for (const auto pause : pauses) total += pause;
  return total;
}

// A thousand policies, the same ones in every run.
template <typename Check>
void for_many_policies(Check check) {
  std::mt19937 random(1);  // NOLINT: a failure must come again
  const auto number = [&random](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  for (int i = 0; i < 1'000; ++i) {
    const microseconds first(number(1, 10'000));
    const microseconds ceiling = first * number(1, 100);
    check(Waiting::exponential(first, ceiling)
              .jitter(number(0, 100) / 100.0)
              .at_most(first * number(0, 1'000))
              .tries(number(1, 200)),
          first, ceiling);
  }
}

TEST(Waiting, NoneIsOneTry) {
  EXPECT_TRUE(all_pauses(Waiting::none()).empty());
}

TEST(Waiting, FixedPausesAreEqual) {
  EXPECT_EQ(all_pauses(Waiting::fixed(milliseconds(10)).tries(4)),
            std::vector<microseconds>(3, milliseconds(10)));
}

TEST(Waiting, ExponentialPausesDoubleUpToTheCeiling) {
  const auto pauses = all_pauses(Waiting::exponential(milliseconds(3), milliseconds(20)).tries(7));
  EXPECT_EQ(pauses,
            (std::vector<microseconds>{milliseconds(3), milliseconds(6), milliseconds(12),
                                       milliseconds(20), milliseconds(20), milliseconds(20)}));
}

TEST(Waiting, TheFirstTryHasNoPause) {
  const auto waiting = Waiting::fixed(milliseconds(10));
  EXPECT_EQ(waiting.pause_before(1), microseconds(0));
  EXPECT_EQ(waiting.pause_before(2), milliseconds(10));
}

TEST(Waiting, DoublingNeverOverflows) {
  const auto longest = Waiting::Duration::max();
  const auto waiting = Waiting::exponential(microseconds(3), longest);
  for (const int number : {62, 63, 64, 65, 1'000'000, std::numeric_limits<int>::max()}) {
    EXPECT_GT(waiting.pause_before(number), longest / 4) << number;
  }
  EXPECT_EQ(waiting.pause_before(std::numeric_limits<int>::max()), longest);
}

TEST(Waiting, WithoutABoundItGoesOnForEver) {
  EXPECT_EQ(all_pauses(Waiting::fixed(milliseconds(1)), 5'000).size(), 5'000U);
}

TEST(Waiting, MakesNoMoreThanItsTries) {
  for (int tries = 1; tries < 20; ++tries) {
    const auto pauses = all_pauses(Waiting::fixed(milliseconds(1)).tries(tries));
    EXPECT_EQ(pauses.size() + 1, static_cast<std::size_t>(tries));
  }
}

TEST(Waiting, CutsTheLastPauseShort) {
  const auto pauses = all_pauses(Waiting::fixed(milliseconds(10)).at_most(milliseconds(25)));
  EXPECT_EQ(pauses,
            (std::vector<microseconds>{milliseconds(10), milliseconds(10), milliseconds(5)}));
}

TEST(Waiting, APauseThatEndsAtTheLimitIsTheLast) {
  const auto pauses = all_pauses(Waiting::fixed(milliseconds(10)).at_most(milliseconds(20)));
  EXPECT_EQ(pauses, std::vector<microseconds>(2, milliseconds(10)));
}

TEST(Waiting, EndsAtTheFirstBound) {
  const auto waiting = Waiting::fixed(milliseconds(10));
  EXPECT_EQ(all_pauses(waiting.tries(3).at_most(hours(1))).size(), 2U);
  EXPECT_EQ(all_pauses(waiting.tries(1'000).at_most(milliseconds(40))).size(), 4U);
}

TEST(Waiting, NoTimeIsOneTry) {
  EXPECT_TRUE(all_pauses(Waiting::fixed(milliseconds(1)).at_most(milliseconds(0))).empty());
}

TEST(Waiting, TheLongestTimeIsNoBound) {
  const auto waiting = Waiting::fixed(milliseconds(1));
  EXPECT_EQ(all_pauses(waiting.at_most(Waiting::Duration::max()), 100).size(), 100U);
}

TEST(Waiting, ATryThatTookTooLongIsTheLast) {
  const auto start = Clock::now();
  Pauses pauses(Waiting::fixed(milliseconds(10)).at_most(milliseconds(25)), start);
  EXPECT_EQ(pauses.next(start + milliseconds(26)), std::nullopt);
}

TEST(Waiting, EndsWithItsTimeNotWithAnEarlyWakeUp) {
  const auto start = Clock::now();
  Pauses pauses(Waiting::fixed(milliseconds(10)).at_most(milliseconds(5)), start);
  EXPECT_EQ(pauses.next(start), milliseconds(5));
  EXPECT_EQ(pauses.next(start + milliseconds(2)), milliseconds(3));
  EXPECT_EQ(pauses.next(start + milliseconds(5)), std::nullopt);
  EXPECT_EQ(pauses.next(start + milliseconds(5)), std::nullopt);
}

TEST(Waiting, EveryPolicyKeepsItsBounds) {
  for_many_policies([](const Waiting& waiting, microseconds, microseconds ceiling) {
    const auto pauses = all_pauses(waiting);
    EXPECT_LT(pauses.size(), static_cast<std::size_t>(*waiting.try_limit()));
    EXPECT_LE(sum(pauses), *waiting.time_limit());
    for (const auto pause : pauses) EXPECT_LE(pause, ceiling);
  });
}

TEST(Waiting, EveryPauseIsWithinItsJitter) {
  for_many_policies([](const Waiting& waiting, microseconds first, microseconds) {
    const auto pauses = all_pauses(waiting.at_most(hours(10'000)));
    for (std::size_t i = 0; i < pauses.size(); ++i) {
      const auto whole = waiting.pause_before(static_cast<int>(i) + 2);
      EXPECT_GE(whole, first);
      EXPECT_LE(pauses[i], whole);
      EXPECT_GE(pauses[i].count(),
                static_cast<double>(whole.count()) * (1 - waiting.jitter_share()) - 1);
    }
  });
}

TEST(Waiting, JitterUsesItsWholeRange) {
  const auto pauses = all_pauses(Waiting::fixed(milliseconds(100)).jitter(0.5).tries(2'000));
  const auto [shortest, longest] = std::minmax_element(pauses.begin(), pauses.end());
  EXPECT_LT(*shortest, milliseconds(55));
  EXPECT_GT(*longest, milliseconds(95));
}

TEST(Waiting, TwoWaitersPauseDifferently) {
  const auto waiting = Waiting::fixed(hours(1)).jitter(1).tries(10);
  EXPECT_NE(all_pauses(waiting), all_pauses(waiting));
}

TEST(Waiting, RefusesValuesThatMakeNoSense) {
  const auto good = Waiting::fixed(milliseconds(1));
  EXPECT_THROW((void)Waiting::fixed(milliseconds(0)), std::invalid_argument);
  EXPECT_THROW((void)Waiting::fixed(milliseconds(-1)), std::invalid_argument);
  EXPECT_THROW((void)Waiting::exponential(milliseconds(2), milliseconds(1)), std::invalid_argument);
  EXPECT_THROW((void)good.jitter(-0.1), std::invalid_argument);
  EXPECT_THROW((void)good.jitter(1.1), std::invalid_argument);
  EXPECT_THROW((void)good.at_most(milliseconds(-1)), std::invalid_argument);
  EXPECT_THROW((void)good.tries(0), std::invalid_argument);
}

TEST(Waiting, IsAValueThatDoesNotChange) {
  const auto waiting = Waiting::fixed(milliseconds(1));
  (void)waiting.tries(3).at_most(milliseconds(5)).jitter(0.5);
  EXPECT_EQ(waiting.try_limit(), std::nullopt);
  EXPECT_EQ(waiting.time_limit(), std::nullopt);
  EXPECT_EQ(waiting.jitter_share(), 0);
}

TEST(Pause, LastsItsTime) {
  const auto start = Clock::now();
  EXPECT_TRUE(core::pause_for(milliseconds(20), {}));
  EXPECT_GE(Clock::now() - start, milliseconds(20));
}

TEST(Pause, EndsAtOnceWhenStopped) {
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(core::pause_for(hours(1), stop.get_token()));
}

TEST(Pause, DoesNotBeginOnceStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(core::pause_for(hours(1), stop.get_token()));
}

}  // namespace
