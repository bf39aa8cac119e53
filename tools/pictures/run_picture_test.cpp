// Pictures of recorded runs: what is where in them.
#include "tools/pictures/run_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/book/documents.h"
#include "tools/pictures/fold.h"
#include "tools/pictures/run_layout.h"
#include "tools/pictures/svg.h"
#include "tools/report/drawing.h"
#include "tools/table/stages.h"
#include "tools/terminal/xml_text.h"

namespace pictures {
namespace {

using testing::HasSubstr;
using testing::Not;

faults::Record recorded(const std::string& stage, const std::string& scenario) {
  return faults::read_record(book::recorded_history(table::stage_named(stage), scenario));
}

RunLayout layout_of_recorded(const std::string& stage, const std::string& scenario) {
  const auto drawing = report::drawing_of(recorded(stage, scenario));
  return layout_of(drawing, effects_in(drawing), 50);
}

TEST(RunPicture, SaysTheVerdictAndHowToRunIt) {
  const auto svg = picture_of_run(recorded("4", "slow_holder"));
  EXPECT_THAT(svg, HasSubstr("violated: B's write"));
  EXPECT_THAT(svg, HasSubstr("./lab run 4 slow_holder"));
  EXPECT_THAT(svg, HasSubstr("A's work takes longer than its lease"));
}

TEST(RunPicture, IsInTheReadersLanguage) {
  const auto chinese = terminal::Language::named("zh");
  const auto svg = picture_of_run(recorded("4", "slow_holder"), chinese);
  EXPECT_THAT(svg, HasSubstr("被破坏：B 在 "));
  EXPECT_THAT(svg, HasSubstr("A 的活比租约长；B 想要锁。"));
  EXPECT_THAT(svg, HasSubstr("⚡ 给 A 的 READ 响应被扣在线路上"));
  EXPECT_THAT(svg, HasSubstr("✗ 丢了"));
  for (const auto* words : {"believes", "violated:", "ms pass", "overwrites", "Here: in"}) {
    EXPECT_THAT(picture_of_run(recorded("3", "frozen_mid_release"), chinese),
                Not(HasSubstr(words)));
    EXPECT_THAT(svg, Not(HasSubstr(words)));
  }
}

TEST(RunPicture, HatchesOnlyAMistakenBelief) {
  EXPECT_THAT(picture_of_run(recorded("4", "slow_holder")), HasSubstr("class=\"mistaken\""));
  EXPECT_THAT(picture_of_run(recorded("2", "killed_holder")), Not(HasSubstr("class=\"mistaken\"")));
}

TEST(RunPicture, JoinsTwoWritesThatCollided) {
  const auto svg = picture_of_run(recorded("7", "frozen_holder"));
  EXPECT_THAT(svg, HasSubstr("✗ lost"));
  EXPECT_THAT(svg, HasSubstr("✗ overwrites"));
  EXPECT_THAT(picture_of_run(recorded("8", "frozen_holder")), Not(HasSubstr("✗")));
}

TEST(RunPicture, NamesEveryFault) {
  const auto svg = picture_of_run(recorded("3", "frozen_mid_release"));
  EXPECT_THAT(svg, HasSubstr("⚡ A is frozen (SIGSTOP)"));
}

TEST(RunLayout, PutsAnEffectBesideItsCommand) {
  const auto layout = layout_of_recorded("1", "killed_holder");
  EXPECT_FALSE(layout.lines[1].is_effect);  // SETNX lock held → 1
  EXPECT_TRUE(layout.lines[2].is_effect);   // lock set
  EXPECT_EQ(layout.lines[2].middle, layout.lines[1].middle);
  EXPECT_FALSE(layout.lines[3].is_effect);
}

TEST(RunLayout, HasRoomForSevenServers) {
  const auto layout = layout_of_recorded("8", "failover_bare_majority");
  const auto& last = layout.lanes.back();
  EXPECT_LE(last.text + static_cast<double>(last.letters) * letter, picture_width - margin);
  EXPECT_GE(last.letters, 5U);
}

TEST(RunLayout, GivesAPauseARow) {
  const auto layout = layout_of_recorded("1", "killed_holder");
  ASSERT_EQ(layout.pauses.size(), 1U);
  EXPECT_GT(layout.pauses[0].ms, 2000);
}

TEST(Fold, SaysHowManyRenewalsAreLeftOut) {
  const auto drawing = report::drawing_of(recorded("5", "slow_holder"));
  const auto shorter = folded(drawing);
  EXPECT_GT(drawing.at("lines").size(), 70U);
  EXPECT_LT(shorter.at("lines").size(), 40U);
  EXPECT_THAT(shorter.at("lines").dump(), HasSubstr("times more"));
  for (const auto& bar : shorter.at("bars")) EXPECT_LE(bar.at(2), shorter.at("lines").size());
}

TEST(Fold, LeavesAShortDrawingAlone) {
  const auto drawing = report::drawing_of(recorded("3", "frozen_mid_release"));
  EXPECT_EQ(folded(drawing), drawing);
}

TEST(Shortened, KeepsTheOutcome) {
  EXPECT_EQ(shortened("GET lock", 8), "GET lock");
  EXPECT_EQ(shortened("SET lock abcdefgh NX → OK", 16), "SET lock a… → OK");
  EXPECT_EQ(shortened("abcdefgh", 5), "abcd…");
}

TEST(Svg, EscapesWhatMeansSomethingInXml) {
  EXPECT_EQ(terminal::xml_text("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
}

}  // namespace
}  // namespace pictures
