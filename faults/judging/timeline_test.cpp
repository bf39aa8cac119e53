#include "faults/judging/timeline.h"

#include <algorithm>
#include <sstream>

#include "faults/judging/testing/history_builder.h"
#include "faults/kit/text_width.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::PrintToString;

std::vector<std::string> lines_of(const HistoryBuilder& history, const Paint& paint = {}) {
  std::istringstream picture(draw_timeline(history.record, paint));
  std::vector<std::string> lines;
  for (std::string line; std::getline(picture, line);) lines.push_back(line);
  return lines;
}

// The first line that has `text` in it.
std::size_t line_with(const std::vector<std::string>& lines, const std::string& text) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(text) != std::string::npos;
  });
  EXPECT_TRUE(found != lines.end()) << "no line with " << text << " in " << PrintToString(lines);
  return static_cast<std::size_t>(found - lines.begin());
}

HistoryBuilder frozen_between() {
  HistoryBuilder history;
  return history.acquires("A")
      .call("A", "release")
      .command("A", "GET lock")
      .fault("A", fault::frozen)
      .server("expired")
      .acquires("B")
      .fault("A", fault::thawed)
      .command("A", "DEL lock")
      .server("del")
      .answer("A", "release", "released");
}

TEST(Timeline, HasALaneForEachClientAndTheServer) {
  const auto head = lines_of(frozen_between()).at(0);
  EXPECT_LT(head.find('A'), head.find('B'));
  EXPECT_LT(head.find('B'), head.find("redis"));
}

TEST(Timeline, MarksTheFirstLineFromAPlaceOn) {
  const auto history = frozen_between();
  const auto plain = draw_timeline(history.record, {});
  EXPECT_THAT(plain, Not(HasSubstr("▶")));
  const auto lines = lines_of(history);
  const auto line = line_with(lines, "DEL lock");
  const auto place = std::find_if(history.record.begin(), history.record.end(), [](const auto& e) {
    return e.data.value("text", "").starts_with("DEL");
  });
  ASSERT_NE(place, history.record.end());
  std::istringstream drawn(draw_timeline(history.record, {}, place->number));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string marked;
    ASSERT_TRUE(std::getline(drawn, marked));
    EXPECT_EQ(marked.find("▶") != std::string::npos, i == line) << marked;
  }
}

TEST(Timeline, ShowsARefusedWriteWithItsToken) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).writes("A", 1, false);
  history.record.back().data["token"] = 7;
  line_with(lines_of(history), "WRITE 1 (token 7) → refused");
}

TEST(Timeline, CutsTheOutcomeLast) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).writes("A", 1, false);
  history.record.back().data["token"] = 7;
  line_with(lines_of(history, {.columns = 34}), "…→ refused");
}

TEST(Timeline, LeavesTwoColumnsToAChineseCharacter) {
  HistoryBuilder history;
  history.acquires("A").command("A", "GET lock").command("A", "GET 锁");
  const auto lines = lines_of(history);
  const auto column_of_server = [&](const std::string& text) {
    const auto& line = lines.at(line_with(lines, text));
    return width_in_columns(line.substr(0, line.find("┃A")));
  };
  EXPECT_EQ(column_of_server("GET 锁"), column_of_server("GET lock"));
}

TEST(Timeline, CutsBetweenChineseCharacters) {
  HistoryBuilder history;
  history.acquires("A").command("A", "GET 订单锁订单锁订单锁订单锁订单锁").server("del");
  for (const auto& line : lines_of(history, {.columns = 40})) {
    EXPECT_LE(width_in_columns(line), 40U) << line;
  }
  line_with(lines_of(history, {.columns = 40}), "锁…");
}

TEST(Timeline, SaysWhenThePageIsTooNarrow) {
  EXPECT_THAT(lines_of(frozen_between(), {.columns = 20}).at(0),
              HasSubstr("this terminal has 20 columns; the picture needs "));
  EXPECT_THAT(lines_of(frozen_between(), {.columns = 80}).at(0), Not(HasSubstr("terminal")));
}

TEST(Timeline, AfterAnInnerReleaseTheBarGoesOn) {
  HistoryBuilder history;
  history.acquires("A").call("A", "release").answer("A", "release", "still_held").reads("A", 0);
  const auto lines = lines_of(history);
  EXPECT_THAT(lines.at(line_with(lines, "READ")), HasSubstr("┃  READ"));
}

TEST(Timeline, AServerThatDiesHasOneLane) {
  const auto head = lines_of(HistoryBuilder().acquires("A").fault("redis", fault::killed)).at(0);
  EXPECT_EQ(head.find("redis"), head.rfind("redis"));
}

TEST(Timeline, AReplicaHasALaneOnceItIsTheMaster) {
  HistoryBuilder history;
  const nlohmann::json set{{"what", "set"}, {"key", "lock"}};
  history.acquires("A").add("replica", Kind::server, set);
  EXPECT_THAT(lines_of(history).at(0), Not(HasSubstr("replica")));
  history.fault("redis", fault::killed).fault("replica", fault::promoted);
  history.call("B", "acquire").add("replica", Kind::server, set).answer("B", "acquire", "acquired");
  const auto lines = lines_of(history);
  EXPECT_THAT(lines.at(0), HasSubstr("replica"));
  EXPECT_EQ(std::count_if(
                lines.begin(), lines.end(),
                [](const std::string& line) { return line.find("lock set") != std::string::npos; }),
            2);
}

TEST(Timeline, ShowsFaultsOfServersAndTheMachine) {
  HistoryBuilder history;
  history.acquires("A").add("redis", Kind::fault, {{"what", fault::stepped}, {"by_ms", 10'000}});
  history.add("redis", Kind::fault, {{"what", fault::restarted}, {"how", "empty"}});
  history.add("replica", Kind::fault, {{"what", fault::promoted}, {"by", "Sentinel"}});
  history.add("", Kind::stood_still, {{"for_ms", 80}}).works("A", 0);
  const auto lines = lines_of(history);
  line_with(lines, "redis's clock jumps by 10000 ms");
  line_with(lines, "redis is started again, empty");
  line_with(lines, "Sentinel has made replica the master");
  line_with(lines, "the machine stood still for 80 ms");
}

TEST(Timeline, LeavesOutStallsBeforeAndAfterTheCalls) {
  HistoryBuilder history;
  history.add("", Kind::stood_still, {{"for_ms", 80}}).acquires("A");
  history.add("", Kind::stood_still, {{"for_ms", 90}});
  EXPECT_THAT(lines_of(history), Each(Not(HasSubstr("stood still"))));
}

TEST(Timeline, SaysOfAReplyThatItIsHeldOrLost) {
  const auto after = [](std::string_view what, const std::string& side, const std::string& server) {
    HistoryBuilder history;
    history.call("A", "acquire").command("A", "SET lock").server("set").reply("A", "OK");
    history.add("A", Kind::fault,
                {{"what", what}, {"side", side}, {"command", "SET"}, {"server", server}});
    history.answer("A", "acquire", "unknown");
    return draw_timeline(history.record, {});
  };
  EXPECT_THAT(after(fault::held, "reply", "redis"), HasSubstr("SET lock → OK (held back)\n"));
  EXPECT_THAT(after(fault::dropped, "reply", "redis"), HasSubstr("SET lock → OK (lost)\n"));
  EXPECT_THAT(after(fault::reset, "reply", "redis"), HasSubstr("SET lock → OK (lost)\n"));
  // A fault that is the next command's, another server's, or of another kind.
  EXPECT_THAT(after(fault::held, "command", "redis"), HasSubstr("SET lock → OK\n"));
  EXPECT_THAT(after(fault::held, "reply", "storage"), HasSubstr("SET lock → OK\n"));
  EXPECT_THAT(after(fault::frozen, "reply", "redis"), HasSubstr("SET lock → OK\n"));
}

TEST(Timeline, SaysOfWhatVanishedThatItIsLost) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "SET lock").vanishes();
  history.call("B", "acquire").command("B", "GET lock").reply("B", "nil").vanishes();
  const auto lines = lines_of(history.answer("B", "acquire", "unknown"));
  (void)line_with(lines, "SET lock (lost)");
  (void)line_with(lines, "GET lock → nil (lost)");
}

TEST(Timeline, PutsALeasesEndBeforeTheAnswer) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire").command("B", "SET lock").server("expired");
  const auto lines =
      lines_of(history.server("set").reply("B", "OK").answer("B", "acquire", "acquired"));
  EXPECT_LT(line_with(lines, "lease over: gone"), line_with(lines, "← OK"));
}

TEST(Timeline, DrawsTheFaultBetweenTheRowsItFellBetween) {
  const auto lines = lines_of(frozen_between());
  EXPECT_LT(line_with(lines, "GET lock"), line_with(lines, "A is frozen"));
  EXPECT_LT(line_with(lines, "A is frozen"), line_with(lines, "A goes on"));
  EXPECT_LT(line_with(lines, "A goes on"), line_with(lines, "DEL lock"));
}

TEST(Timeline, FitsAPage) {
  HistoryBuilder history;
  for (const auto* lane : {"A", "B", "C", "D", "E"}) {
    history.call(lane, "acquire").command(lane, std::string(300, 'x')).reply(lane, "ü→…");
  }
  history.server("set").add(
      "A", Kind::fault,
      {{"what", "held"}, {"side", "command"}, {"command", std::string(200, 'y')}});
  std::vector<std::size_t> widths;
  for (const auto& line : lines_of(history, {.columns = 100}))
    widths.push_back(width_in_columns(line));
  EXPECT_THAT(widths, Each(Le(100U)));
}

// A and B, and five servers.
TEST(TimelineOfSeveral, DrawsWhatGoesToAllOfThemOnce) {
  const auto lines = lines_of(HistoryBuilder(5).acquires_on(five, "A").releases_on(five, "A"));
  EXPECT_EQ(lines.size(), 11U);
  EXPECT_THAT(lines[line_with(lines, "SET lock")], HasSubstr("SET lock → 5 nodes"));
  EXPECT_THAT(lines[line_with(lines, "┃A set")],
              HasSubstr("┃A set   ┃A set   ┃A set   ┃A set   ┃A set"));
  (void)line_with(lines, "← 5× OK");
  (void)line_with(lines, "del      del      del      del      del");
}

TEST(TimelineOfSeveral, DrawsApartWhatAFaultLiesBetween) {
  HistoryBuilder history(5);
  history.call("A", "acquire").asks("A", {1, 2}, "set").fault("A", fault::frozen);
  const auto lines = lines_of(history.server_on({3, 4}, "set"));
  EXPECT_LT(line_with(lines, "┃A set   ┃A set"), line_with(lines, "A is frozen"));
  EXPECT_EQ(line_with(lines, "A is frozen") + 1, lines.size() - 1);
}

TEST(TimelineOfSeveral, DrawsApartWhatVanished) {
  HistoryBuilder history(5);
  history.call("A", "acquire");
  history.command_to(1, "A").command_to(4, "A").vanishes().command_to(2, "A");
  history.command_to(5, "A").vanishes().command_to(3, "A");
  for (const int node : {1, 2}) history.reply_from(node, "A");
  const auto lines =
      lines_of(history.reply_from(3, "A").vanishes().answer("A", "acquire", "unknown"));
  (void)line_with(lines, "SET lock → 3 nodes");
  (void)line_with(lines, "SET lock → 2 nodes (lost)");
  (void)line_with(lines, "← 2× OK, OK (lost)");
}

TEST(TimelineOfSeveral, DrawsInOneRowWhatOneServerAnswersLate) {
  HistoryBuilder history(5);
  history.fault("node5", fault::frozen);
  for (const auto* lane : {"A", "B"}) {
    history.call(lane, "acquire").command_to(5, lane).asks(lane, {1, 2, 3, 4}, "set");
    history.answer(lane, "acquire", "acquired").call(lane, "release");
    history.command_to(5, lane, "DEL lock").asks(lane, {1, 2, 3, 4}, "del", "DEL lock");
    history.answer(lane, "release", "released");
  }
  history.fault("node5", fault::thawed);
  for (const auto* text : {"OK", "1"}) history.reply_from(5, "B", text).reply_from(5, "A", text);
  const auto lines = lines_of(history);
  EXPECT_EQ(line_with(lines, "← OK, 1"), line_with(lines, "node5 goes on") + 1);
  EXPECT_EQ(line_with(lines, "node5 goes on") + 2, lines.size() - 1);
}

TEST(TimelineOfSeveral, CountsTheServersOfOneFault) {
  HistoryBuilder history(5);
  history.acquires_on(five, "A").fault("node4", fault::killed).fault("node5", fault::killed);
  (void)line_with(lines_of(history), "node4, node5 are killed (SIGKILL)");
}

TEST(TimelineOfSeveral, FitsAPage) {
  HistoryBuilder history(5);
  for (const auto* lane : {"A", "B", "C"}) {
    history.acquires_on(five, lane).works(lane, 0).releases_on(five, lane);
  }
  std::vector<std::size_t> widths;
  const auto lines = lines_of(history, {.columns = 120});
  for (const auto& line : lines) widths.push_back(width_in_columns(line));
  EXPECT_THAT(widths, Each(Le(120U)));
  (void)line_with(lines, "→ 5 nodes");
}

TEST(TimelineOfSeveral, AServerThatDiesIsNoClient) {
  HistoryBuilder history;
  const auto head = lines_of(history.acquires("A").fault("redis", fault::killed)).at(0);
  EXPECT_EQ(head.find("redis"), head.rfind("redis"));
}

TEST(Timeline, CollapsesManyTries) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire");
  for (int i = 0; i < 500; ++i) history.command("B", "SET lock").reply("B", "nil");
  const auto lines = lines_of(history.answer("B", "acquire", "contended"));
  EXPECT_LT(lines.size(), 30U);
  (void)line_with(lines, "49");  // how many were left out
}

TEST(Timeline, LetsNoControlByteReachTheTerminal) {
  HistoryBuilder history;
  history.call("A", "acquire\x1b[2J")
      .command("A", "SET \x1b[31m\x07")
      .answer("A", "acquire", "\x9b\r");
  history.server("set").server("\x1b]0;title\x07");
  history.add("A", Kind::fault, {{"what", "ended"}, {"how", "\x1b[2J"}});
  history.add("", Kind::not_exercised, {{"why", "\x1b[2J"}});
  for (const auto& line : lines_of(history)) {
    EXPECT_TRUE(std::none_of(line.begin(), line.end(), [](char c) { return c >= 0 && c < ' '; }))
        << testing::PrintToString(line);
  }
}

TEST(Timeline, MarksTheEvidenceWithColourOnly) {
  HistoryBuilder history;
  history.acquires("A").reads("A", 0).acquires("B").works("B", 0).writes("A", 1);
  EXPECT_THAT(draw_timeline(history.record, {.on = true}), HasSubstr("\x1b[31m"));
  EXPECT_THAT(draw_timeline(history.record, {.on = false}), Not(HasSubstr("\x1b")));
}

TEST(Timeline, OfNothingSaysSo) {
  EXPECT_EQ(draw_timeline({}, {}), "nothing happened\n");
}

}  // namespace
}  // namespace faults
