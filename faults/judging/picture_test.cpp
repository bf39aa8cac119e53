#include "faults/judging/picture.h"

#include <algorithm>

#include "faults/judging/judge.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Picture picture_of(const HistoryBuilder& history) {
  return picture_of(Trace(history.record), judge(history.record));
}

// The texts of the lines in which `lane` is mistaken, of whatever lane they are; a fault's is its
// own.
std::vector<std::string> while_mistaken(const Picture& picture, std::size_t lane) {
  std::vector<std::string> texts;
  for (const auto& line : picture.lines) {
    if (!line.fields[lane].mistaken) continue;
    texts.push_back(line.across);
    for (const auto& field : line.fields) texts.back() += field.text;
  }
  return texts;
}

TEST(Picture, HasTheClientsAndThenTheServers) {
  const auto picture = picture_of(HistoryBuilder().acquires("B").is_refused("A"));
  ASSERT_THAT(picture.lanes, SizeIs(3));
  EXPECT_EQ(picture.lanes[0].name, "A");
  EXPECT_EQ(picture.lanes[1].name, "B");
  EXPECT_EQ(picture.lanes[2].name, "redis");
  EXPECT_TRUE(picture.lanes[2].is_server);
}

TEST(Picture, ShowsFromWhenOnAHolderIsMistaken) {
  const auto picture = picture_of(HistoryBuilder().acquires("A").server("expired").acquires("B"));
  EXPECT_THAT(while_mistaken(picture, 0),
              ElementsAre("lease over: gone", "acquire", "lock set", "= acquired"));
  EXPECT_THAT(while_mistaken(picture, 1), IsEmpty());
}

TEST(Picture, ShowsNoMistakeInARelease) {
  const auto picture = picture_of(HistoryBuilder().acquires("A").releases("A").acquires("A"));
  EXPECT_THAT(while_mistaken(picture, 0), IsEmpty());
}

TEST(Picture, ReleaseOfAnotherLockIsNoReleaseOfThis) {
  const auto picture = picture_of(HistoryBuilder()
                                      .acquires("A")
                                      .call("A", "release", {{"key", "another"}})
                                      .answer("A", "release", "released")
                                      .server("expired"));
  EXPECT_THAT(while_mistaken(picture, 0), ElementsAre("lease over: gone"));
  EXPECT_EQ(picture.lines.at(3).fields.at(0).text, "release another");
}

TEST(Picture, ShowsAMistakenRelease) {
  const auto picture = picture_of(HistoryBuilder()
                                      .acquires("A")
                                      .server("expired")
                                      .call("A", "release")
                                      .answer("A", "release", "expired"));
  EXPECT_THAT(while_mistaken(picture, 0), ElementsAre("lease over: gone", "release"));
}

TEST(Picture, ShowsThatAMinorityIsAMistake) {
  HistoryBuilder history(3);
  history.acquires_on({1, 2, 3}, "A").server_on({1, 2}, "expired").is_refused("B");
  EXPECT_THAT(while_mistaken(picture_of(history), 0), ElementsAre("acquire", "= contended"));
}

TEST(Picture, MarksTheTwoWritesThatTheJudgementRestsOn) {
  const auto picture = picture_of(HistoryBuilder()
                                      .acquires("A")
                                      .reads("A", 0)
                                      .server("expired")
                                      .acquires("B")
                                      .works("B", 0)
                                      .writes("A", 1));
  std::vector<std::string> marked;
  for (const auto& line : picture.lines) {
    for (const auto& field : line.fields) {
      if (field.is_evidence) marked.push_back(field.text);
    }
  }
  EXPECT_THAT(marked, ElementsAre("WRITE 1", "WRITE 1"));
}

TEST(Picture, KeepsAllThatOneTextStandsFor) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire");
  constexpr int tries = 6;
  for (int i = 0; i < tries; ++i) history.command("B", "SET lock").reply("B", "nil");
  const auto picture = picture_of(history.answer("B", "acquire", "contended"));
  const auto line = std::find_if(
      picture.lines.begin(), picture.lines.end(),
      [](const Line& candidate) { return candidate.fields[1].text == " … 4 more tries …"; });
  ASSERT_NE(line, picture.lines.end());
  EXPECT_THAT(line->fields[1].places, SizeIs(2 * (tries - 2)));
}

TEST(Picture, LeavesOutTheEffectsOfOmittedTries) {
  HistoryBuilder history(3);
  history.call("A", "acquire").call("B", "acquire");
  constexpr int tries = 6;
  for (int i = 0; i < 2 * tries; ++i) {
    if (i == tries) history.asks("A", {2}, "set");
    history.asks("B", {1}, "set").asks("B", {1}, "del", "DEL lock");
  }
  const auto picture = picture_of(history.answer("B", "acquire", "contended"));
  const auto said = [&](const std::string& server) {
    std::vector<std::string> texts;
    for (const auto& line : picture.lines) {
      for (std::size_t i = 0; i < picture.lanes.size(); ++i) {
        const auto& text = line.fields[i].text;
        if (picture.lanes[i].name == server && !text.empty()) texts.push_back(text);
      }
    }
    return texts;
  };
  EXPECT_THAT(said("node1"), ElementsAre("set", "del", "set", "del"));  // the first, the last
  EXPECT_THAT(said("node2"), ElementsAre("set"));
}

}  // namespace
}  // namespace faults
