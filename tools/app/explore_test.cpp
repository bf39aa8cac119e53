// explore, step and soak, called as a person calls them: an error is one clear sentence and exit
// code 2, and a table that is not as declared does not end as if it were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "faults/testing/called_program.h"
#include "faults/testing/expectations.h"
#include "tools/terminal/testing/known_text.h"

namespace app {
namespace {

using faults::ProgramResult;
using testing::HasSubstr;

class LabExplore : public testing::Test {
 protected:
  ProgramResult call(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--runs", playground.path("runs").native()});
    return playground.call(LAB_PROGRAM, std::move(arguments));
  }
  void refuses(std::vector<std::string> arguments, const std::string& part) {
    faults::expect_one_sentence(playground, call(std::move(arguments)), part);
  }
  // Calls `./lab` with these words on standard input.
  ProgramResult type(const std::string& words, const std::string& command) {
    const auto line =
        "printf '" + words + "' | '" + std::string(LAB_PROGRAM) + "' " + command + " --no-color";
    return playground.call("/bin/sh", {"-c", line});
  }

  faults::Playground playground;
};

using LabAtlas = LabExplore;
using LabStep = LabExplore;
using LabSoak = LabExplore;

TEST_F(LabExplore, RefusesUnknownWords) {
  refuses({"explore"}, "which lock? such as ./lab explore 3");
  refuses({"explore", "stage3_setnx"}, "did you mean");
  refuses({"explore", "3", "--faults", "fire"}, "\"fire\" is no fault: there are freeze");
  refuses({"explore", "3", "--operations", "twice"}, "\"twice\" is no program of a client");
  refuses({"explore", "3", "--during", "sleep"}, "\"sleep\" is no operation");
  refuses({"explore", "3", "--judge", "beauty"}, "there are mutual exclusion; owner-only");
  refuses({"explore", "3", "--client", "python3 mine.py"}, "3 or --client: a search has one lock");
  refuses({"explore", "3", "--budget", "soon"}, "--budget");
  refuses({"explore", "3", "--budget=-1s"}, "--budget: a time is not negative");
  refuses({"explore", "3", "--clients", "0"}, "--clients");
}

TEST_F(LabExplore, SaysWhatItsTableDoesNotHeed) {
  refuses({"explore", "--table", "--faults", "kill"}, "--faults excludes --table");
  refuses({"explore", "--table", "--fresh"}, "--fresh excludes --table");
  refuses({"explore", "1", "--record"}, "--record requires --table");
  refuses({"explore", "6/counts_up", "--table", "--record"}, "counts_up is not in the table");
}

TEST_F(LabExplore, SearchesALockOnFewerServers) {
  const auto ended = call({"explore", "7", "--nodes", "3", "--in-order", "--at-most", "0"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("each client's commands in the order of its servers"));
  EXPECT_THAT(ended.output, HasSubstr("no fault        63 orders"));
  refuses({"explore", "3", "--nodes", "5"}, "stage3_set_nx_px stands on one server, not on 5");
}

TEST_F(LabExplore, GivesAClientTheServersThatItAsksFor) {
  const auto client = std::string(LAB_BINARY_DIR "/stage7_redlock/stage7_redlock_client");
  // As a client it finds no marker on them.
  const auto ended = call({"explore", "--client", client, "--nodes", "3", "--at-most", "0"});
  EXPECT_THAT(ended.errors, testing::ContainsRegex("[23] of 3 nodes do not vote"));
}

TEST_F(LabExplore, EndsItsTableWithWhatCameOfIt) {
  const auto hasty = call({"explore", "1", "--table", "--budget", "0.001s"});
  EXPECT_EQ(hasty.code, 3) << hasty.errors;
  EXPECT_THAT(hasty.errors, HasSubstr("stage1_setnx, kill: the budget was spent"));
}

TEST_F(LabExplore, SaysThatItsTableIsNotCompared) {
  const auto ended = call({"explore", "6/counts_up", "--table", "--budget", "0.001s"});
  EXPECT_THAT(ended.errors,
              HasSubstr("survival.json has no stage6_reentrant/counts_up: nothing was compared"));
}

TEST_F(LabExplore, SaysWhatItDidNotSearch) {
  const auto ended = call({"explore", "2", "--faults", "kill", "--at-most", "3", "--no-color"});
  EXPECT_EQ(ended.code, 1) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("  2 to 3 faults  not searched"));
}

// From the schedule on, in which only names of faults and commands are English.
TEST_F(LabExplore, SumsUpInChinese) {
  const auto ended = call({"explore", "2", "--faults", "kill", "--at-most", "3", "--once-each",
                           "--no-color", "--lang", "zh"});
  EXPECT_EQ(ended.code, 1) << ended.errors;
  for (const auto* part :
       {"stage2_expire · explore   被破坏\n", "2 个客户端，各自加锁、干活、解锁一次；",
        "最多 3 次故障，种类：kill，每种一次\n", "\n  无故障           6 种顺序\n",
        "种破坏了性质\n  2–3 次故障 没有搜索", "\n破坏了：    活性（liveness），共 6 步：",
        "\n第 3 步（A：被杀）之后就无法挽回了；换成“A：SETNX 的响应送达”或“B：开始”还来得及\n"}) {
    EXPECT_THAT(ended.output, HasSubstr(part));
  }
  std::istringstream summary(ended.output.substr(ended.output.find("\n它的 schedule：\n")));
  for (std::string line; std::getline(summary, line);) {
    EXPECT_EQ(terminal::english_in(line), "") << line;
  }
}

TEST_F(LabExplore, HasATableInChinese) {
  const auto ended = call({"explore", "1", "--table", "--budget", "60s", "--lang", "zh"});
  EXPECT_THAT(ended.output, testing::StartsWith("| 最多一次 | stage1_setnx |\n|---|---|\n"));
  EXPECT_THAT(ended.output, HasSubstr("\n| 被杀 | ✗ 活性（liveness），6 步 |\n"));
  EXPECT_THAT(ended.output, HasSubstr("\n| 被杀 + 响应丢失 | （任一即可） |\n"));
  std::istringstream lines(ended.output + ended.errors);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(terminal::english_in(line), "") << line;
  }
}

TEST_F(LabExplore, SaysItsBoundsToMachines) {
  const auto ended = call({"explore", "1", "--faults", "", "--judge", "liveness", "--switches", "1",
                           "--all-orders", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  for (const auto* bound : {"\"judged\": [\n    \"liveness\"\n  ]", "\"switches\": 1",
                            "\"reduced\": false", "\"fresh\": false"}) {
    EXPECT_THAT(ended.output, HasSubstr(bound));
  }
}

TEST_F(LabExplore, SaysWhatItsTreeShows) {
  const auto file = playground.path("tree.json").native();
  const auto tree = [&](const std::string& lock, const std::string& budget) {
    return call({"explore", lock, "--faults", "kill", "--tree", file, "--budget", budget});
  };
  const auto unfinished = tree("2", "0s");
  EXPECT_EQ(unfinished.code, 3) << unfinished.errors;
  EXPECT_THAT(unfinished.output, HasSubstr("budget spent"));
  EXPECT_FALSE(std::filesystem::exists(file));
  const auto broken = tree("2", "60s");
  EXPECT_EQ(broken.code, 1) << broken.errors;
  EXPECT_THAT(broken.output, HasSubstr("stage2_expire · explore   violated\n"));
  EXPECT_THAT(broken.output, HasSubstr(" orders, written to " + file));
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(tree("4", "60s").code, 0);
}

// Such a search takes longer than a test may.
TEST_F(LabExplore, RefusesAFileForItsTreeBeforeItSearches) {
  refuses({"explore", "7", "--at-most", "3", "--budget", "1h", "--tree",
           playground.path("absent/tree.json").native()},
          "cannot write");
  refuses({"explore", "4", "--merge", "--tree", "tree.json"}, "--merge excludes --tree");
}

TEST_F(LabExplore, SaysWhatNoOrderReached) {
  const auto file = playground.path("covered.json");
  const auto ended = call({"explore", "4", "--at-most", "0", "--coverage", file.native()});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("2 of 4 branches of release.lua were never taken:\n"
                                      "  release.lua:4  never true     if not holder then\n"));
  EXPECT_THAT(ended.output, HasSubstr("coverage:  written to " + file.native()));
  EXPECT_THAT(ended.output,
              testing::ContainsRegex("of [0-9]+ pairs of events [0-9]+ came in both"));
  std::ifstream stream(file);
  const auto object = nlohmann::json::parse(stream);
  const auto& script = object.at("coverage").at(0);
  EXPECT_EQ(script.at("script").get<std::string>(), "release.lua");
  EXPECT_EQ(script.at("taken").get<int>(), 2);
  EXPECT_EQ(script.at("branches").at(0).at("line").get<int>(), 4);
  EXPECT_FALSE(script.at("branches").at(0).at("taken").get<bool>());
  EXPECT_TRUE(object.at("all_calls_made_again").get<bool>());
  EXPECT_GT(object.at("pairs").at("both_orders").get<int>(), 0);
}

// Such a search takes longer than a test may.
TEST_F(LabExplore, RefusesABadFileBeforeItSearches) {
  refuses({"explore", "7", "--at-most", "3", "--budget", "1h", "--coverage",
           playground.path("absent/covered.json").native()},
          "cannot write");
  refuses({"explore", "7", "--at-most", "3", "--budget", "1h", "--coverage",
           playground.path("").native()},
          "cannot write");
  refuses({"explore", "4", "--coverage", ""}, "--coverage");
  refuses({"explore", "4", "--coverage", "a", "--tree", "b"}, "--tree excludes --coverage");
  refuses({"explore", "--table", "--coverage", "a"}, "--coverage excludes --table");
}

TEST_F(LabExplore, ShowsAnOrderThatHoldsBesideABrokenOne) {
  const auto found = call({"explore", "2", "--faults", "kill"});
  EXPECT_EQ(found.code, 1) << found.errors;
  const auto again = found.output.find("./lab replay ");
  ASSERT_NE(again, std::string::npos) << found.output;
  const auto begin = again + std::string("./lab replay ").size();
  const auto schedule = found.output.substr(begin, found.output.find('\n', begin) - begin);
  const auto shown = call({"replay", schedule, "--beside", "--no-color"});
  EXPECT_EQ(shown.code, 1) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("the nearest order that holds; ▶ is the first difference"));
  EXPECT_THAT(shown.output, testing::ContainsRegex("3▶ A: kill +A: reply SETNX\n"));
  const auto fine = call({"replay", schedule, "4", "--beside"});
  EXPECT_EQ(fine.code, 2) << "its steps do not fit";
}

TEST_F(LabExplore, IsDividedByPrefixes) {
  const auto parts = call({"explore", "4", "--faults", "kill", "--split", "3"});
  EXPECT_EQ(parts.code, 0) << parts.errors;
  EXPECT_THAT(parts.output,
              testing::StartsWith("[\"A: begin\",\"A: send SET\",\"A: reply SET\"]\n"));
  std::ofstream(playground.path("parts")) << "[\"A: begin\",\"A: kill\"]\n";
  const auto one =
      call({"explore", "4", "--faults", "kill", "--prefixes", playground.path("parts").native()});
  EXPECT_EQ(one.code, 0) << one.errors;
  EXPECT_THAT(one.output, HasSubstr("\"prefix\":[\"A: begin\",\"A: kill\"]"));
  EXPECT_EQ(std::count(one.output.begin(), one.output.end(), '\n'), 1);
  refuses({"explore", "4", "--prefixes", playground.path("absent").native()}, "cannot read");
  refuses({"explore", "4", "--split", "3", "--budget", "9s"}, "--budget excludes --split");
  refuses({"explore", "4", "--split", "3", "--workers", "1"}, "--workers excludes --split");
  refuses({"explore", "4", "--split", "3", "--json"}, "--json excludes --split");
}

TEST_F(LabStep, RefusesUnknownWords) {
  refuses({"step"}, "which lock? such as ./lab step 3");
  refuses({"step", "stage3_setnx"}, "did you mean");
  refuses({"step", "--from", playground.path("absent").native()}, "cannot read");
  std::ofstream(playground.path("empty")) << "lock: stage3_set_nx_px\n";
  refuses({"step", "--from", playground.path("empty").native()}, "no line \"steps:\"");
  refuses({"step", "--from", playground.path("").native()}, "is a directory: a schedule is a file");
  std::ofstream(playground.path("schedule")) << "lock: stage3_set_nx_px\n";
  refuses({"step", "--from", playground.path("").native()}, "name the schedule in it");
  refuses({"step", "3", "--clients", "many"}, "--clients");
}

TEST_F(LabStep, SpeaksChinese) {
  const auto said = type("1\\n1\\n?\\nnonsense\\n", "--lang zh step 3").output;
  for (const auto* part : {"由你决定接下来发生什么", "第 1 步之后 · 0 ms · 目前一切完好\n",
                           "\n  A       正在 acquire          \n  B       还没开始              \n",
                           "A：被冻住   （故障）\n", "A：SET 的响应丢失   （故障）\n",
                           "back [N]      退回一步", "这里没有 \"nonsense\" 这个词"}) {
    EXPECT_THAT(said, HasSubstr(part));
  }
}

TEST_F(LabStep, EndsAsTheRunDid) {
  const auto whole = type("go\\n", "step 4");
  EXPECT_EQ(whole.code, 0) << whole.errors;
  EXPECT_THAT(whole.output, HasSubstr("The run has ended"));
  EXPECT_THAT(whole.output, HasSubstr("that a person has chosen"));
  const auto left = type("1\\nquit\\n", "step 4");
  EXPECT_EQ(left.code, 3) << left.errors;
  EXPECT_THAT(left.output, HasSubstr("A: send SET"));
}

TEST_F(LabStep, ServesAPageUntilCtrlC) {
  if (!faults::Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  faults::Terminal terminal(playground, "'" + std::string(LAB_PROGRAM) + "' step 3 --page");
  terminal.await("open http://127.0.0.1:");
  terminal.await("Ctrl-C ends it");
  terminal.press("\x03");
  (void)terminal.await_end();
  faults::expect_nothing_left(playground);
}

TEST_F(LabAtlas, RefusesLocksThatAreNone) {
  refuses({"atlas", "acquire=set"}, "a lock of the atlas needs release=, one of none, del");
  refuses({"atlas", "acquire=set", "release=gently"}, "\"gently\" is no choice of release");
  refuses({"atlas", "acquire=set", "release=compare"}, "without a token there is nothing to");
  refuses({"atlas", "--record"}, "--record requires --search");
  refuses({"step", "atlas:acquire=set,fire=yes"}, "\"fire=yes\" is no part of a lock");
  refuses({"explore", "atlas:acquire=set,release=del", "--nodes", "3"}, "stands on one server");
}

TEST_F(LabAtlas, ShowsWhatItsLocksSurvive) {
  const auto all = call({"atlas"});
  EXPECT_EQ(all.code, 0) << all.errors;
  EXPECT_THAT(all.output, HasSubstr("acquire=set token=yes release=script"));
  const auto one = call({"atlas", "acquire=set", "release=del"});
  EXPECT_EQ(one.code, 0) << one.errors;
  EXPECT_THAT(one.output, HasSubstr("./lab step atlas:acquire=set,release=del"));
  const auto for_machines = call({"atlas", "acquire=set", "release=del", "--json"});
  EXPECT_THAT(for_machines.output, HasSubstr("{\"lock\":\"atlas:acquire=set,release=del\""));
}

TEST_F(LabAtlas, SpeaksChinese) {
  const auto ended = call({"--lang", "zh", "atlas", "acquire=set", "release=del"});
  EXPECT_THAT(ended.output, HasSubstr("  最小吗？           是\n  去掉 acquire：失去活性（被杀、"));
  EXPECT_THAT(ended.output, HasSubstr("  只变顺序           ✓           2 种顺序\n"));
}

TEST_F(LabAtlas, ComparesASearchWithWhatIsRecorded) {
  const auto same = call({"atlas", "acquire=setnx", "release=none", "--search"});
  EXPECT_EQ(same.code, 0) << same.errors;
  const auto other =
      call({"atlas", "acquire=setnx", "release=none", "--search", "--most-orders", "1"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.errors, HasSubstr("release=none: not what faults/explore/atlas/atlas.json"));
}

TEST_F(LabAtlas, HasLocksToStepThrough) {
  const auto whole = type("go\\n", "step atlas:acquire=set,release=del,fencing=incr");
  EXPECT_EQ(whole.code, 0) << whole.errors;
  EXPECT_THAT(whole.output, HasSubstr("INCR lock:fencing → 2"));
}

TEST_F(LabSoak, RefusesUnknownWords) {
  refuses({"soak"}, "which lock? such as ./lab soak 5 --seed 7");
  for (const auto* seed : {"x", "-1", "1.5", "7x", "99999999999999999999"}) {
    refuses({"soak", "3", "--seed", seed}, "--seed: a seed is a whole number from 0 on, such as 7");
  }
  refuses({"soak", "3", "--faults", "fire"}, "\"fire\" is no fault");
  refuses({"soak", "3", "--count", "0"}, "--count");
  refuses({"soak", "3", "--budget", "ever"}, "--budget");
  refuses({"soak", "3", "--clients", "13"}, "--clients");
}

TEST_F(LabSoak, SpeaksChinese) {
  const auto ended = call({"--lang", "zh", "soak", "3", "--seed", "7", "--count", "3"});
  EXPECT_THAT(ended.output,
              testing::StartsWith("种子 7；4 个客户端，各自加锁、干活、解锁，再全部"));
  EXPECT_THAT(ended.output, HasSubstr("stage3_set_nx_px · soak   没有性质被破坏\n  3 次运行，共 "));
}

TEST_F(LabSoak, SaysItsSeedFirst) {
  const auto ended = call({"soak", "4", "--seed", "7", "--count", "3"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, testing::StartsWith("seed 7; 4 clients"));
  EXPECT_THAT(ended.output, HasSubstr("; lock stage4_lua_release\n"));
  EXPECT_THAT(ended.output, HasSubstr("3 runs"));
}

TEST_F(LabSoak, KeepsAScheduleOfWhatBroke) {
  const auto ended = call({"soak", "1", "--clients", "3", "--faults", "kill", "--no-color"});
  EXPECT_EQ(ended.code, 1) << ended.errors;
  const auto at = ended.output.find("./lab replay ");
  ASSERT_NE(at, std::string::npos);
  auto schedule = ended.output.substr(at + 13);
  schedule.resize(schedule.find('\n'));
  EXPECT_EQ(call({"replay", schedule}).code, 1);
}

// A client that is no stage, and a file in the playground.
class LabClient : public LabExplore {
 protected:
  std::string write(const char* name, const std::string& text) {
    const auto file = playground.path(name);
    std::ofstream(file) << text;
    return file.native();
  }

  static constexpr const char* client = "/usr/bin/python3 " LAB_SOURCE_DIR
                                        "/tools/learning/exercises/python/client.py " LAB_SOURCE_DIR
                                        "/tools/learning/exercises/python4/start";
};

TEST_F(LabClient, HasItsFactsKeptInTheSchedule) {
  const std::string facts = R"({"loss":{"how":"never"}})";
  const auto searched = call({"explore", "--client", client, "--facts", write("facts.json", facts),
                              "--faults", "freeze", "--switches", "1", "--no-color"});
  EXPECT_EQ(searched.code, 1) << searched.output << searched.errors;
  const auto at = searched.output.find("./lab replay ") + 13;
  std::ifstream file(searched.output.substr(at, searched.output.find(' ', at) - at));
  const std::string schedule(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(schedule, HasSubstr("\nfacts: " + facts + "\n"));
}

TEST_F(LabClient, IsReplayedWithTheFactsOfTheSchedule) {
  const auto schedule =
      write("schedule", "lock: mine\nfacts: {\"loss\": {\"how\": \"guessed\"}}\nsteps:\n");
  const std::vector<std::string> replay{"replay", schedule, "--client", client, "--no-color"};
  const auto kept = call(replay);
  EXPECT_EQ(kept.code, 2);
  EXPECT_THAT(kept.errors, HasSubstr("\"how\" cannot be \"guessed\""));
  auto others = replay;
  others.insert(others.end(), {"--facts", write("facts.json", R"({"key": "%s"})")});
  EXPECT_EQ(call(others).code, 0);
}

TEST_F(LabClient, IsSearchedByItsKeyOnTheServer) {
  const std::string program =
      "/usr/bin/python3 " LAB_SOURCE_DIR "/faults/testing/foreign_client.py key=mutex:%s";
  const auto search_by = [&](const std::string& key) {
    const auto facts = write("facts.json", R"({"key": ")" + key + R"("})");
    return call({"explore", "--client", program, "--facts", facts, "--faults", "freeze", "--during",
                 "work", "--switches", "1", "--no-color"});
  };
  const auto right = search_by("mutex:%s");
  EXPECT_EQ(right.code, 1) << right.output << right.errors;
  EXPECT_THAT(right.output, HasSubstr("broken:    mutual exclusion"));
  const auto wrong = search_by("other:%s");
  EXPECT_EQ(wrong.code, 2) << wrong.output;
  EXPECT_THAT(wrong.errors, HasSubstr("no server ever had its key other:NAME"));
}

TEST_F(LabSoak, ShowsNothingWithoutARun) {
  const auto ended = call({"soak", "4", "--for", "0s"});
  EXPECT_EQ(ended.code, 3) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("stage4_lua_release · soak   nothing was shown\n"));
}

}  // namespace
}  // namespace app
