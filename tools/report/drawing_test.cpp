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

TEST(Drawing, KeepsFiveMessagesAndATextOnce) {
  HistoryBuilder history(7);
  history.acquires("A").asks("A", {1, 2, 3, 4, 5, 6, 7}, "", "GET lock");
  const auto drawing = drawing_of(history.record);
  std::vector<json> of_several;
  for (const auto& line : drawing["lines"]) {
    for (const auto& said : line[2]) {
      if (said[5] == 7) of_several.push_back(said[4]);
    }
  }
  ASSERT_THAT(of_several, testing::Not(testing::IsEmpty())) << drawing;
  for (const auto& messages : of_several) {
    ASSERT_THAT(messages, SizeIs(5));
    EXPECT_THAT(messages[4], SizeIs(3)) << "the text is the first one's";
  }
}

TEST(Drawing, KeepsTheFieldsOfACall) {
  const auto drawing = drawing_of(
      HistoryBuilder()
          .call("A", "acquire", {{"key", "lock"}, {"lease_ms", 300}, {"wait_ms", 10'000}})
          .record);
  EXPECT_EQ(drawing["lines"].back()[2][0][4][0][2], "lease_ms 300, wait_ms 10000") << drawing;
}

TEST(Drawing, MarksTheEvidence) {
  const auto drawing = drawing_of_recorded("stage4_lua_release", "slow_holder");
  std::vector<std::string> marked;
  for (const auto& line : drawing["lines"]) {
    if (line[1].is_string()) continue;  // a fault, across all lanes
    for (const auto& said : line[2]) {
      if (said[3] == 1) marked.push_back(said[2]);
    }
  }
  EXPECT_THAT(marked, testing::Contains("WRITE 1")) << drawing["lines"];
}

TEST(Drawing, ShowsWhoHasTheLockOnAServer) {
  const auto drawing = drawing_of_recorded("stage7_redlock", "frozen_holder");
  std::vector<std::string> owners;
  for (const auto& bar : drawing["bars"]) {
    if (drawing["lanes"][bar[0].get<std::size_t>()][0] == "node1") owners.push_back(bar[3]);
  }
  EXPECT_THAT(owners, ElementsAre("A", "B"));
}

// The stillness of `lane`: its lines and the word.
std::vector<json> still_in(const json& drawing, const std::string& lane) {
  std::vector<json> found;
  for (const auto& still : drawing["still"]) {
    if (drawing["lanes"][still[0].get<std::size_t>()][0] == lane) found.push_back(still);
  }
  return found;
}

TEST(Drawing, ShowsAServerGoneUntilItsRestart) {
  const auto drawing = drawing_of_recorded("stage2_expire", "amnesia");
  const auto still = still_in(drawing, "redis");
  ASSERT_THAT(still, SizeIs(1));
  EXPECT_EQ(still[0][3], "gone");
  const auto text_of_line = [&](const json& number) {
    return drawing["lines"][number.get<std::size_t>()][1].get<std::string>();
  };
  EXPECT_THAT(text_of_line(still[0][1]), HasSubstr("redis is killed"));
  EXPECT_THAT(text_of_line(still[0][2]), HasSubstr("redis is started again"));
}

TEST(Drawing, ShowsAClientGoneUntilTheEnd) {
  for (const auto what : {faults::fault::killed, faults::fault::ended}) {
    const auto drawing =
        drawing_of(HistoryBuilder().acquires("A").fault("A", what).acquires("B").record);
    const auto still = still_in(drawing, "A");
    ASSERT_THAT(still, SizeIs(1)) << what;
    EXPECT_EQ(still[0][2], drawing["lines"].size());
  }
}

TEST(Drawing, ShowsAClientFrozenUntilItGoesOn) {
  const auto drawing = drawing_of(HistoryBuilder()
                                      .acquires("A")
                                      .fault("A", faults::fault::frozen)
                                      .fault("A", faults::fault::thawed)
                                      .releases("A")
                                      .record);
  const auto still = still_in(drawing, "A");
  ASSERT_THAT(still, SizeIs(1));
  EXPECT_LT(still[0][2], drawing["lines"].size());
}

TEST(Drawing, HasAFindingForEachProperty) {
  HistoryBuilder history;
  history.acquires("A")
      .call("A", "work")
      .reads("A", 0)
      .acquires("B")
      .call("B", "work")
      .reads("B", 0);
  history.writes("A", 1).writes("B", 1).writes("A", 2).writes("B", 2);
  const auto drawing = drawing_of(history.record);
  std::vector<std::string> properties;
  for (const auto& finding : drawing["findings"]) properties.push_back(finding[0]);
  EXPECT_THAT(properties, testing::Contains("mutual exclusion").Times(1)) << drawing["findings"];
}

}  // namespace
}  // namespace report
