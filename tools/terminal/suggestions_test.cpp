#include "tools/terminal/suggestions.h"

#include <gtest/gtest.h>

namespace terminal {
namespace {

TEST(Suggestions, NameTheNearestFirst) {
  EXPECT_EQ(did_you_mean("stepping", {"stopping", "stepping_", "table"}),
            " did you mean stepping_, stopping?");
}

TEST(Suggestions, CountSwappedLettersOnce) {
  EXPECT_EQ(did_you_mean("no", {"on"}), " did you mean on?");
}

TEST(Suggestions, LeaveOutWhatIsNoMisspelling) {
  EXPECT_EQ(did_you_mean("xyzzy", {"check"}), "");
  EXPECT_EQ(did_you_mean("table", {"cabbe"}), " did you mean cabbe?") << "two of five";
  EXPECT_EQ(did_you_mean("table", {"cabby"}), "") << "three of five";
}

TEST(Suggestions, NameEachOnce) {
  EXPECT_EQ(did_you_mean("--hlp", {"--help", "--html", "--help"}), " did you mean --help, --html?");
}

TEST(Suggestions, TakeTheBeginningOfALongName) {
  EXPECT_EQ(did_you_mean("frozn", {"frozen_holder"}), " did you mean frozen_holder?");
}

TEST(Suggestions, TakeNoBeginningForAFewLetters) {
  EXPECT_EQ(did_you_mean("fr", {"frozen_holder"}), "");
}

TEST(Suggestions, AreNoneIfTooManyAreAsNear) {
  EXPECT_EQ(did_you_mean("stage", {"stage1", "stage2", "stage3"}),
            " did you mean stage1, stage2, stage3?");
  EXPECT_EQ(did_you_mean("stage", {"stage1", "stage2", "stage3", "stage4"}), "");
}

}  // namespace
}  // namespace terminal
