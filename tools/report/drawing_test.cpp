// Drawings of recorded histories.
#include "tools/report/drawing.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "faults/judging/rows.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/judging/timeline.h"
#include "tools/book/documents.h"
#include "tools/report/testing/recorded.h"
#include "tools/table/grid.h"

namespace report {
namespace {

using faults::HistoryBuilder;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

json drawing_of_recorded(const std::string& stage, const std::string& scenario) {
  return drawing_of(faults::read_record(recorded(stage, scenario)));
}

// The text at [line, lane].
std::string text_at(const json& drawing, const json& place) {
  for (const auto& said : drawing["lines"][place[0].get<std::size_t>()][2]) {
    if (said[0] == place[1]) return said[2];
  }
  return {};
}

std::string lane_name(const json& drawing, const json& place) {
  return drawing["lanes"][place[1].get<std::size_t>()][0];
}

std::vector<std::string> terminal_lines(const faults::Record& record) {
  std::istringstream input(faults::draw_timeline(record, {.columns = 1000}));
  std::vector<std::string> lines;
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

// The texts of a line, without those that the terminal would cut off.
std::vector<std::string> words_of(const json& line) {
  if (line[1].is_string()) return {line[1]};
  std::vector<std::string> words;
  for (const auto& said : line[2]) {
    const std::string text = said[2];
    if (faults::width_of(text) <= faults::widest_text) words.push_back(text);
  }
  return words;
}

void expect_the_same(const faults::Record& record) {
  const auto drawing = drawing_of(record);
  const auto& lines = drawing["lines"];
  const auto text = terminal_lines(record);
  ASSERT_EQ(text.size(), lines.size() + 1) << "a head, and then the lines";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_THAT(text[i + 1], StartsWith(fmt::format("{:>5}", lines[i][0].get<int>())));
    for (const auto& words : words_of(lines[i])) EXPECT_THAT(text[i + 1], HasSubstr(words));
  }
}

TEST(Drawing, MatchesTheTerminalsTimeline) {
  for (const auto& stage : table::empty_grid().stages) {
    for (const auto& scenario : book::shown_scenarios(stage)) {
      SCOPED_TRACE(stage.name + " " + scenario);
      expect_the_same(faults::read_record(recorded(stage.name, scenario)));
    }
  }
}

TEST(Drawing, NamesTheTwoWritesThatCollided) {
  const auto drawing = drawing_of_recorded("stage4_lua_release", "slow_holder");
  ASSERT_THAT(drawing["collisions"], SizeIs(1));
  const auto& [lost, overwritten_by] =
      std::tie(drawing["collisions"][0][0], drawing["collisions"][0][1]);
  EXPECT_EQ(text_at(drawing, lost), "WRITE 1");
  EXPECT_EQ(lane_name(drawing, lost), "B");
  EXPECT_EQ(text_at(drawing, overwritten_by), "WRITE 1");
  EXPECT_EQ(lane_name(drawing, overwritten_by), "A");
}

TEST(Drawing, ShowsAMistakenBelief) {
  const auto drawing = drawing_of_recorded("stage7_redlock", "frozen_holder");
  std::vector<std::string> mistaken;
  for (const auto& bar : drawing["bars"]) {
    if (bar[4] == 1) mistaken.push_back(bar[3]);
  }
  EXPECT_THAT(mistaken, ElementsAre("A"));
}

TEST(Drawing, ShowsWhomAFaultStruckAndFroze) {
  const auto drawing = drawing_of_recorded("stage7_redlock", "frozen_holder");
  for (const auto& struck : drawing["struck"]) EXPECT_EQ(lane_name(drawing, struck), "A");
  ASSERT_THAT(drawing["still"], SizeIs(1));
  EXPECT_EQ(drawing["still"][0][3], "frozen");
}

TEST(Drawing, HasNoLinesForAFaultThatStruckNobody) {
  const auto drawing = drawing_of(HistoryBuilder().fault("A", faults::fault::killed).record);
  EXPECT_THAT(drawing["lines"], SizeIs(0));
  EXPECT_EQ(drawing["struck"], json::array());
}

TEST(Drawing, KeepsWholeMessages) {
  const auto drawing = drawing_of(
      HistoryBuilder().acquires("A").command("A", "GET lock").reply("A", "token").record);
  const auto& said = drawing["lines"].back()[2][0];
  EXPECT_EQ(said[2], " GET lock → token");
  EXPECT_EQ(said[4][0], json({30'000, ">", "redis", "GET lock"})) << said;
  EXPECT_EQ(said[4][1], json({40'000, "<", "redis", "token"})) << said;
}

}  // namespace
}  // namespace report
