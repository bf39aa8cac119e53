#include "core/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

TEST(Token, Is128BitsInHex) {
  EXPECT_THAT(core::random_token(), testing::MatchesRegex("[0-9a-f]{32}"));
}

TEST(Token, IsNeverTheSameAgain) {
  std::set<std::string> tokens;
  for (int i = 0; i < 10'000; ++i) tokens.insert(core::random_token());
  EXPECT_EQ(tokens.size(), 10'000U);
}

TEST(Token, IsRandomInEveryDigit) {
  std::array<std::set<char>, 32> seen;
  for (int i = 0; i < 1'000; ++i) {
    const auto token = core::random_token();
    for (std::size_t digit = 0; digit < seen.size(); ++digit) seen.at(digit).insert(token[digit]);
  }
  for (const auto& digits : seen) EXPECT_EQ(digits.size(), 16U);
}

}  // namespace
