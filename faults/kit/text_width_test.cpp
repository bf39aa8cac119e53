#include "faults/kit/text_width.h"

#include <gtest/gtest.h>

namespace faults {
namespace {

TEST(TextWidth, CountsAWideCharacterTwice) {
  EXPECT_EQ(width_in_columns("看门狗"), 6U);
  EXPECT_EQ(width_in_columns("锁：A，B。"), 10U);
}

TEST(TextWidth, CountsOtherCharactersOnce) {
  EXPECT_EQ(width_in_columns("lock"), 4U);
  EXPECT_EQ(width_in_columns("┃ → … é"), 7U);
  EXPECT_EQ(width_in_columns(""), 0U);
}

TEST(TextWidth, KnowsWhereACharacterEnds) {
  EXPECT_EQ(length_of_first("锁A"), 3U);
  EXPECT_EQ(length_of_first("A锁"), 1U);
  EXPECT_EQ(length_of_first(""), 0U);
}

}  // namespace
}  // namespace faults
