// How a text is broken into lines.
#include "learning/desk.h"

#include <gtest/gtest.h>

namespace learning {
namespace {

TEST(DeskText, IsBrokenBetweenWordsAtTheWidth) {
  EXPECT_EQ(wrapped("one two three", "", 7), "one two\nthree\n");
  EXPECT_EQ(wrapped("one two three", "", 6), "one\ntwo\nthree\n");
  EXPECT_EQ(wrapped("one  two\nthree", "", 80), "one two three\n");
}

TEST(DeskText, HasItsIndentWithinTheWidth) {
  EXPECT_EQ(wrapped("one two three", "  ", 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("one two", "  ", 8), "  one\n  two\n");
}

TEST(DeskText, LeavesAWordWholeThatIsLongerThanTheLine) {
  EXPECT_EQ(wrapped("a kilometre", "", 4), "a\nkilometre\n");
  EXPECT_EQ(wrapped("", "", 4), "\n");
}

TEST(DeskText, IsAsWideAsOneLikesToReadWhereThereIsNoTerminal) {
  EXPECT_EQ(width_of_text(), 96U);
}

}  // namespace
}  // namespace learning
