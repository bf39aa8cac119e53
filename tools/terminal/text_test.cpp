#include "tools/terminal/text.h"

#include <gtest/gtest.h>

namespace terminal {
namespace {

TEST(Padded, CountsChineseCharactersTwice) {
  EXPECT_EQ(padded("✗ 卡住", 8), "✗ 卡住  ");
  EXPECT_EQ(padded("no room", 3), "no room");
}

TEST(Text, IsBrokenBetweenWordsAtTheWidth) {
  EXPECT_EQ(wrapped("one two three", "", 7), "one two\nthree\n");
  EXPECT_EQ(wrapped("one two three", "", 6), "one\ntwo\nthree\n");
  EXPECT_EQ(wrapped("one  two\nthree", "", 80), "one two three\n");
}

TEST(Text, HasItsIndentWithinTheWidth) {
  EXPECT_EQ(wrapped("one two three", "  ", 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("one two", "  ", 8), "  one\n  two\n");
}

TEST(Text, DoesNotBreakALongWord) {
  EXPECT_EQ(wrapped("a kilometre", "", 4), "a\nkilometre\n");
  EXPECT_EQ(wrapped("kilometre a", "", 4), "kilometre\na\n");
  EXPECT_EQ(wrapped("", "", 4), "\n");
}

TEST(Text, CountsCharactersAndNotBytes) {
  EXPECT_EQ(wrapped("→ … ·", "", 5), "→ … ·\n");
  EXPECT_EQ(wrapped("→ … ·", "", 4), "→ …\n·\n");
}

TEST(Text, BreaksChineseBetweenCharacters) {
  EXPECT_EQ(wrapped("看门狗续期", "", 6), "看门狗\n续期\n");
  EXPECT_EQ(wrapped("A 拿到 lock", "", 6), "A 拿到\nlock\n");
  EXPECT_EQ(wrapped("用SETNX加锁", "", 7), "用SETNX\n加锁\n");
}

TEST(Text, BeginsNoLineWithAChineseSign) {
  EXPECT_EQ(wrapped("看门狗，续期", "", 6), "看门\n狗，续\n期\n");
  EXPECT_EQ(wrapped("看门（狗）", "", 6), "看门\n（狗）\n");
}

TEST(Text, IsAsWideAsTheTerminalUpToALimit) {
  EXPECT_EQ(width_of_text(std::nullopt), 96U);
  EXPECT_EQ(width_of_text(TerminalSize{.rows = 24, .columns = 80}), 80U);
  EXPECT_EQ(width_of_text(TerminalSize{.rows = 24, .columns = 200}), 96U);
}

TEST(WrappedResult, BreaksSentencesBetweenWords) {
  EXPECT_EQ(wrapped_result("broken:    mutual exclusion: A wrote\nholds\n", 28),
            "broken:    mutual exclusion:\n           A wrote\nholds\n");
  EXPECT_EQ(wrapped_result("A holds the lock", 8), "A holds\nthe lock\n");
  EXPECT_EQ(wrapped_result("of a long sentence this is an end:", 20),
            "of a long sentence\nthis is an end:\n");
}

TEST(WrappedResult, ContinuesBelowALabelInColourOrChinese) {
  EXPECT_EQ(wrapped_result("\033[31mviolated\033[0m: one two", 14),
            "\033[31mviolated\033[0m: one\n          two\n");
  EXPECT_EQ(wrapped_result("破坏了：    互斥性 一", 18), "破坏了：    互斥性\n            一\n");
}

TEST(WrappedResult, LeavesThePictureAndCommandsAsTheyAre) {
  const std::string result =
      "a\n\n\033[1m   ms   A          B    node1\033[0m\n    0  ┃  lock is held by A\n\n"
      "  violated   before the first command\nagain: ./lab run 3\n";
  EXPECT_EQ(wrapped_result(result, 10), result);
  const std::string fits = "\033[1mone two\033[0m\n";
  EXPECT_EQ(wrapped_result(fits, 7), fits);
}

TEST(WrappedHelp, KeepsAnOptionsColumn) {
  EXPECT_EQ(wrapped_help("Options:\n  --one  says one word", 9, 17),
            "Options:\n  --one  says one\n         word\n");
  EXPECT_EQ(wrapped_help("         says one word", 9, 17), "         says one\n         word\n");
}

TEST(WrappedHelp, KeepsWhatFitsOrIsNoOption) {
  EXPECT_EQ(wrapped_help("  --one  says one\n\na b c d e f g h i j", 9, 17),
            "  --one  says one\n\na b c d e f g h i j\n");
}

TEST(WrappedHelp, BreaksALongNameToo) {
  EXPECT_EQ(wrapped_help("  --a Excludes: --b --c", 9, 19),
            "  --a\n         Excludes:\n         --b --c\n");
}

TEST(Text, CountsInTheSingularAndInThePlural) {
  EXPECT_EQ(counted(1, "round"), "1 round");
  EXPECT_EQ(counted(0, "round"), "0 rounds");
  EXPECT_EQ(counted(2, "pass", "passes"), "2 passes");
}

}  // namespace
}  // namespace terminal
