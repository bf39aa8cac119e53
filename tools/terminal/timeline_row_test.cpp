#include "tools/terminal/timeline_row.h"

#include <gtest/gtest.h>

#include "faults/kit/text_width.h"

namespace terminal {
namespace {

std::string say(std::string_view text) {
  if (text == "set") return "上锁";
  return text == "lock set with lease" ? "上锁，带租约" : std::string(text);
}

std::string drawn(std::string_view row) {
  return with_lanes(row, say);
}

TEST(TimelineRow, OpensWithATime) {
  EXPECT_TRUE(is_timeline_row("    0     acquire"));
  EXPECT_TRUE(is_timeline_row("  305▶ ┃"));
  EXPECT_FALSE(is_timeline_row("   ms     A"));
  EXPECT_FALSE(is_timeline_row("305 orders"));
  EXPECT_FALSE(is_timeline_row(""));
}

TEST(TimelineRow, KeepsTheColumnsAfterAShorterText) {
  const std::string row = "    1  ┃                ┃A lock set with lease ┃B";
  EXPECT_EQ(drawn(row), "    1  ┃                ┃A 上锁，带租约        ┃B");
  EXPECT_EQ(faults::width_in_columns(drawn(row)), faults::width_in_columns(row));
}

TEST(TimelineRow, TakesBlanksForALongerText) {
  EXPECT_EQ(drawn("    1  ┃A set   ┃A set   ┃A"), "    1  ┃A 上锁  ┃A 上锁  ┃A");
  EXPECT_EQ(drawn("    1     set"), "    1     上锁");
}

TEST(TimelineRow, LeavesALongerTextWithoutRoom) {
  EXPECT_EQ(drawn("    1  ┃A set ┃A set"), "    1  ┃A set ┃A 上锁");
}

TEST(TimelineRow, KeepsColours) {
  EXPECT_EQ(drawn("    1  \x1b[31m┃A set   \x1b[0m┃B"), "    1  \x1b[31m┃A 上锁  \x1b[0m┃B");
}

}  // namespace
}  // namespace terminal
