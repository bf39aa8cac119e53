#include "core/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <set>
#include <string>
#include <utility>

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

TEST(Token, RepeatsNoneOfItsDigitsElsewhere) {
  std::set<std::pair<std::size_t, std::size_t>> different;
  for (int i = 0; i < 300; ++i) {
    const auto token = core::random_token();
    for (std::size_t a = 0; a < token.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (token[a] != token[b]) different.emplace(a, b);
      }
    }
  }
  EXPECT_EQ(different.size(), 32U * 31U / 2U);
}

TEST(Token, OfAChildProcessDiffersFromItsParents) {
  (void)core::random_token();
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const auto child = fork();
  if (child == 0) {
    const auto token = core::random_token();
    _exit(write(ends[1], token.data(), token.size()) == 32 ? 0 : 1);
  }
  std::string token(32, ' ');
  EXPECT_EQ(read(ends[0], token.data(), token.size()), 32);
  EXPECT_NE(core::random_token(), token);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
