#include "tools/terminal/language.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <vector>

#include "faults/kit/errors.h"
#include "faults/running/result_text.h"
#include "faults/scenarios/scenario.h"
#include "tools/terminal/testing/known_text.h"
#include "tools/terminal/timeline_row.h"

namespace terminal {
namespace {

namespace fs = std::filesystem;

const Language& chinese() {
  static const auto language = Language::named("zh");
  return language;
}

TEST(Language, LeavesEnglishAsItIs) {
  EXPECT_EQ(Language()("A is killed (SIGKILL)\n"), "A is killed (SIGKILL)\n");
  EXPECT_EQ(Language::named("en_US.UTF-8")("holds"), "holds");
}

TEST(Language, SpeaksChinese) {
  EXPECT_EQ(chinese()("A holds the lock and is killed; B wants it\nholds\n"),
            "A 持有锁时被杀；B 想要锁\n守住了\n");
}

TEST(Language, LooksUpWhatVaries) {
  EXPECT_EQ(chinese()("the reply to A's READ is held on the wire"),
            "给 A 的 READ 响应被扣在线路上");
}

TEST(Language, LooksUpTheWordsOfAList) {
  EXPECT_EQ(chinese()("judged: owner-only release, liveness; no faults"),
            "只判定：只有持有者能释放（owner-only release）、活性（liveness）；没有故障");
}

TEST(Language, LeavesTheCommasOfOthers) {
  EXPECT_EQ(chinese()("it does not compile: no match for 'f(int, int)'"),
            "编译不过：no match for 'f(int, int)'");
}

TEST(Language, LeavesWordsThatAPersonTypes) {
  EXPECT_EQ(chinese()("\"fire\" is no fault: there are kill, amnesia"),
            "\"fire\" 不是故障：有 kill、amnesia");
  EXPECT_EQ(chinese()("the kinds that may happen, of clients or servers: freeze, clock"),
            "允许发生的故障，针对客户端或服务器：freeze、clock");
  EXPECT_EQ(chinese()("stage6_reentrant · amnesia   violated"),
            "stage6_reentrant · amnesia   被破坏");
  EXPECT_EQ(chinese()("the scenario: amnesia: A holds the lock and is killed; B wants it"),
            "场景：amnesia：A 持有锁时被杀；B 想要锁");
}

TEST(Language, LeavesWhatIsInQuotes) {
  EXPECT_EQ(chinese()("\"scenarios\" is not expected here; see ./lab list --help"),
            "这里不该有 \"scenarios\"；见 ./lab list --help");
  EXPECT_EQ(chinese()("You said \"holds\": right. 1 of 2 right so far."),
            "你猜的是“守住了”：猜对了。到目前为止猜对 1/2。");
}

TEST(Language, KnowsTheStepsAndTheProgressOfASearch) {
  EXPECT_EQ(chinese()("   13  time: to the end of the lease"), "   13  时间：走到租约到期");
  EXPECT_EQ(chinese()("   13  A: send SET"), "   13  A：SET 送达");
  EXPECT_EQ(chinese()("exploring a: 1 fault: 75 orders, 7 break a property; 84 runs a second"),
            "正在搜索 a：1 次故障：75 种顺序，7 种破坏了性质；每秒 84 次");
}

TEST(Language, KeepsBlanksAndColours) {
  EXPECT_EQ(chinese()("    1  \x1b[33m──── A is killed (SIGKILL) ────\x1b[0m"),
            "    1  \x1b[33m──── A 被杀（SIGKILL） ────\x1b[0m");
  EXPECT_EQ(chinese()("broken:    \x1b[31mliveness\x1b[0m: it was never told"),
            "破坏了：    \x1b[31m活性（liveness）\x1b[0m：没有人通知它");
}

TEST(Language, LeavesWhatItDoesNotKnow) {
  EXPECT_EQ(chinese()("an unheard-of thing"), "an unheard-of thing");
}

TEST(Language, SpeaksInTheLanesOfATimeline) {
  EXPECT_EQ(chinese()("  305  ┃                lease over: gone"),
            "  305  ┃                租约到期，锁没了");
  EXPECT_EQ(chinese()("    9▶ ┃  = acquired   ┃A lock set with lease"),
            "    9▶ ┃  = acquired   ┃A 上锁，带租约");
  EXPECT_EQ(chinese()("    9  ┃    \x1b[31m┃B lock set with lease \x1b[0m"),
            "    9  ┃    \x1b[31m┃B 上锁，带租约        \x1b[0m");
  EXPECT_EQ(chinese()("    9   ← OK (held back)"), "    9   ← OK (扣住)");
  EXPECT_EQ(chinese().lane("SET lock → 2 nodes (lost)"), "SET lock → 2 台 (丢了)");
  EXPECT_EQ(chinese().lane("WRITE 1 (token 7) → refused"), "WRITE 1 (令牌 7) → 被拒绝");
}

TEST(Language, LeavesTheWordsOfTheProtocolInALane) {
  for (const auto* text : {"acquire", "= released", "  release", " SET lock c0c9… NX PX 300",
                           " ← 5× OK", "READ → 0", "! lost", "EVAL → node1"}) {
    EXPECT_EQ(chinese().lane(text), text);
  }
}

TEST(Language, KnowsALaneThatIsCutOff) {
  EXPECT_EQ(chinese().lane("lock del…"), "锁被删除");
  EXPECT_EQ(chinese().lane("lock…"), "lock…");  // could be one of several
}

TEST(Language, RefusesALanguageThatIsNotThere) {
  EXPECT_THROW((void)Language::named("fr"), faults::CannotRun);
}

TEST(ChineseTexts, HaveEachScenario) {
  for (const auto& scenario : faults::all_scenarios()) expect_known(scenario.sentence);
}

TEST(ChineseTexts, HaveEachExercise) {
  const auto expect_there = [](const nlohmann::json& text) {
    EXPECT_NE(chinese()(text.get<std::string>()), text.get<std::string>());
  };
  const auto exercises = fs::path(LAB_SOURCE_DIR) / "tools/learning/exercises";
  for (const auto& entry : fs::directory_iterator(exercises)) {
    std::ifstream file(entry.path() / "exercise.json");
    if (!file) continue;
    const auto exercise = nlohmann::json::parse(file);
    expect_there(exercise["title"]);
    expect_there(exercise["why"]);
    for (const auto& part : exercise["parts"]) {
      if (part.contains("title")) expect_there(part["title"]);
      expect_there(part["task"]);
      for (const auto& hint : part["hints"]) expect_there(hint);
    }
  }
}

// The sentences of a run: all but the lanes.
std::vector<std::string> sentences_of(const std::string& run) {
  std::istringstream lines(run);
  std::vector<std::string> sentences;
  static const std::regex lane("^ *[0-9]+  .*|^ *ms .*|");
  for (std::string line; std::getline(lines, line);) {
    const bool is_fault = line.find("──── ") != std::string::npos;
    if (is_fault || !std::regex_match(line, lane)) sentences.push_back(line);
  }
  return sentences;
}

// The words of ours in the lanes of `run`: what is no operation, command or reply.
std::vector<std::string> words_in_lanes_of(const std::string& run) {
  static const std::regex words("┃.([a-z]+(?: [a-z:]+)*)|  ([a-z]+ [a-z:]+(?: [a-z:]+)*)$");
  std::istringstream lines(run);
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    if (!is_timeline_row(line)) continue;
    for (std::sregex_iterator match(line.begin(), line.end(), words), end; match != end; ++match) {
      found.push_back((*match)[1].matched ? (*match)[1] : (*match)[2]);
    }
  }
  return found;
}

TEST(ChineseTexts, HaveEachSentenceOfTheRecordedRuns) {
  const auto recorded = fs::path(LAB_SOURCE_DIR) / "faults/recorded";
  for (const auto& entry : fs::recursive_directory_iterator(recorded)) {
    if (entry.path().extension() != ".jsonl") continue;
    const auto record = faults::read_record(entry.path());
    for (const auto& sentence : sentences_of(faults::describe_record(record, faults::Paint{}))) {
      expect_known(sentence);
    }
  }
}

TEST(ChineseTexts, HaveTheLanesOfTheRecordedRuns) {
  const auto recorded = fs::path(LAB_SOURCE_DIR) / "faults/recorded";
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(recorded)) {
    if (entry.path().extension() != ".txt") continue;
    std::ifstream file(entry.path());
    for (const auto& text : words_in_lanes_of({std::istreambuf_iterator<char>(file), {}})) {
      EXPECT_NE(chinese().lane(text), text) << entry.path();
      ++count;
    }
  }
  EXPECT_GT(count, 100U);
}

}  // namespace
}  // namespace terminal
