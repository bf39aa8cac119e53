// The script ./lab: what it installs, builds and runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <utility>

#include "tools/app/testing/entry_fixture.h"

namespace app {
namespace {

using faults::Terminal;
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(Entry, WithoutAptNamesWhatIsMissing) {
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("missing: "));
  for (const auto* package : {"g++", "cmake", "libhiredis-dev", "redis-tools"}) {
    EXPECT_THAT(ended.errors, HasSubstr(package));
  }
}

TEST_F(Entry, MissesAFileThatIsNotThere) {
  add_tools();
  const auto part = house() / "tools/app/entry/install.sh";
  std::ifstream script(part);
  std::string text((std::istreambuf_iterator<char>(script)), {});
  const std::string where = "/usr/share/nodejs";
  ASSERT_NE(text.find(where), std::string::npos);
  std::ofstream(part) << text.replace(text.find(where), where.size(), "/nowhere");
  const auto ended = call({"report"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("missing: node-d3 "));
}

TEST_F(Entry, NamesWhatAptDoesNotHave) {
  add_tools();
  for (const auto* program : {"node", "npm"}) add_program(program, "exit 0");
  add_program("id", "echo 0");
  add_program("apt-get", "case $* in *install*) echo 'no package'; exit 100 ;; esac");
  add_program("apt-cache", "[ \"$2\" = chromium ] || echo \"Package: $2\"");
  const auto ended = call({"slides"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("install Chromium or Chrome yourself: apt-get has no"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("no package")));
}

TEST_F(Entry, InstallsSpinOnlyForTheModel) {
  add_tools();
  fs::remove(playground.path("bin/spin"));
  EXPECT_EQ(call({"list"}).errors.find("missing"), std::string::npos);
  for (const auto* command : {"model", "test"}) {
    EXPECT_THAT(call({command}).errors, HasSubstr("missing: spin "));
  }
}

TEST_F(Entry, MakesSlidesWithoutABuild) {
  EXPECT_THAT(call({"slides"}).errors, HasSubstr("missing: nodejs npm chromium"));
  for (const auto* program : {"node", "npm", "chromium"}) add_program(program, "exit 0");
  std::filesystem::create_directories(house() / "tools/slides");
  fs::create_symlink("/bin/true", house() / "tools/slides/make");
  const auto ended = call({"slides"});
  if (ended.code != 0) {
    EXPECT_THAT(ended.errors, HasSubstr("missing: fonts-"));
  }
  EXPECT_FALSE(fs::exists(house() / "build-lab/build.ninja"));
}

TEST_F(Entry, WithoutRootAndSudoSaysSo) {
  add_program("apt-get", "exit 100");
  add_program("id", "echo 1000");
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("there is no sudo"));
  EXPECT_THAT(ended.errors, HasSubstr("\n  apt-get install --no-install-recommends g++ cmake "));
}

// Nothing is installed in these, so that whatever needs it would say that it is missing.
TEST_F(Entry, HelpsBeforeItInstalls) {
  const auto help = call({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.output, HasSubstr("the guided tour"));
  EXPECT_THAT(call({"--no-color", "run", "-h"}).output, HasSubstr("./lab run [OPTIONS]"));
  EXPECT_THAT(call({"learn", "check", "--help"}).output, HasSubstr("check [OPTIONS]"));
  EXPECT_THAT(call({"test", "--help"}).output, HasSubstr("ctest"));
  EXPECT_EQ(call({"help"}).output, help.output);
  EXPECT_THAT(call({"help", "run"}).output, HasSubstr("./lab run [OPTIONS]"));
}

TEST_F(Entry, SpeaksChinese) {
  EXPECT_THAT(call({"--lang", "zh", "run", "--help"}).output, HasSubstr("用法：./lab run [选项]"));
  EXPECT_THAT(call({"--lang=zh", "test", "--help"}).output,
              HasSubstr("构建并运行锁和故障工具的测试"));
  EXPECT_EQ(call({"--lang", "zh", "list"}).errors.find("lab: 缺少：g++ cmake "), 0U);
  EXPECT_EQ(call({"--lang", "zh", "diff", "3"}).errors,
            "lab: 哪两个阶段？例如 ./lab diff 3 4；见 ./lab diff --help\n");
  add_sources();
  EXPECT_EQ(call({"--lang", "zh", "test", "-R", "TestThatIsNotThere"}).errors,
            "lab: 没有测试叫这个名字或带这个标签；./lab test -N 会列出名字\n");
  auto chinese = environment();
  chinese["LANG"] = "zh_CN.UTF-8";
  EXPECT_EQ(playground.call(house() / "lab", {"tabel"}, chinese).errors,
            "lab: 没有命令 \"tabel\"；见 ./lab --help\n");
}

// The sentences of a part of the script: each follows a word that says it.
std::vector<std::string> sentences_of(const fs::path& part) {
  std::ifstream file(part);
  const std::string script((std::istreambuf_iterator<char>(file)), {});
  static const std::regex said(
      R"re((?:\b(?:text|say|stop|quietly)|usage_error \S+|found [a-z]+ [a-z]+)[ \\\n]+)re"
      R"re("((?:[^"\\$]|\\.)*)"(?:[ \\\n]+"([^"$]*)")?)re");
  std::vector<std::string> sentences;
  for (std::sregex_iterator match(script.begin(), script.end(), said), end; match != end; ++match) {
    sentences.push_back((*match)[1]);
    if (match->str().starts_with("found")) sentences.push_back((*match)[2]);
  }
  return sentences;
}

TEST(EntryTexts, AreKnownInChinese) {
  std::ifstream file(LAB_SOURCE_DIR "/tools/terminal/texts.zh.json");
  const auto texts = nlohmann::json::parse(file);
  std::size_t count = 0;
  for (const auto& part : fs::recursive_directory_iterator(LAB_SOURCE_DIR "/tools/app/entry")) {
    if (part.path().extension() != ".sh") continue;
    for (auto sentence : sentences_of(part.path())) {
      sentence = std::regex_replace(sentence, std::regex(R"(\\")"), "\"");
      EXPECT_TRUE(sentence.find(' ') == std::string::npos || texts.contains(sentence)) << sentence;
      const auto chinese = texts.value(sentence, "");
      EXPECT_EQ(chinese.find("{0}"), std::string::npos) << "the script does not know numbers";
      ++count;
    }
  }
  EXPECT_GT(count, 80U);
}

TEST(EntryTexts, HaveEachRowOfTheDoctorInChinese) {
  std::ifstream file(LAB_SOURCE_DIR "/tools/terminal/texts.zh.json");
  const auto texts = nlohmann::json::parse(file);
  static const std::regex row(R"re(\bfound (?:ok|note|stop) ([a-z]+))re");
  std::size_t count = 0;
  for (const auto& part : fs::recursive_directory_iterator(LAB_SOURCE_DIR "/tools/app/entry")) {
    if (part.path().extension() != ".sh") continue;
    std::ifstream script_file(part.path());
    const std::string script((std::istreambuf_iterator<char>(script_file)), {});
    for (std::sregex_iterator match(script.begin(), script.end(), row), end; match != end;
         ++match) {
      const auto name = "row: " + (*match)[1].str();
      EXPECT_TRUE(texts.contains(name)) << name;
      ++count;
    }
  }
  EXPECT_GT(count, 30U);
}

TEST_F(Entry, NamesAMistakeBeforeItInstalls) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"tabel"}, "no command \"tabel\""},
      {{"learn", "chek"}, "no command \"learn chek\""},
      {{"servers", "instal"}, "no command \"servers instal\""},
      {{"field", "instal", "--al"}, "no option \"--al\"; see ./lab field run --help"},
      {{"field", "new", "mine", "--times", "3"},
       "no option \"--times\"; see ./lab field new --help"},
      {{"table", "--makrdown"}, "no option \"--makrdown\"; see ./lab table --help"},
      {{"run"}, "which stage?"},
      {{"run", "stage9"}, "no stage \"stage9\""},
      {{"run", "4", "killed_holdr"}, "no scenario \"killed_holdr\""},
      {{"diff", "3"}, "which two stages?"},
      {{"bench", "--quik"}, "no option \"--quik\"; see ./lab bench --help"},
      {{"doctor", "extra"}, "\"extra\" is not expected here; see ./lab doctor --help"},
      {{"slides", "extra"}, "\"extra\" is not expected here; see ./lab slides --help"},
      {{"test", "-R", "TestThatIsNotThere"}, "no test is called"}};
  add_sources();
  for (const auto& [words, sentence] : mistakes) {
    const auto ended = call(words);
    EXPECT_EQ(ended.code, 2) << sentence;
    EXPECT_THAT(ended.errors, HasSubstr(sentence));
    EXPECT_THAT(ended.errors, Not(HasSubstr("missing")));
  }
}

TEST_F(Entry, TakesNoRightNameForAMistake) {
  add_sources();
  const std::vector<std::vector<std::string>> lines{{"run", "4", "killed_holder"},
                                                    {"run", "stage4_lua_release", "reply_lost"},
                                                    {"run", "counts_up"},
                                                    {"run", "6/counts_up", "--json", "--runs", "x"},
                                                    {"run", "4", "--redis", "redis-6.2"},
                                                    {"run", "4", "--time", "virtual"},
                                                    {"run", "--lease", "300", "4", "all"},
                                                    {"run", "redis-py", "killed_holder"},
                                                    {"run", "--client", "./mine", "all"},
                                                    {"table", "--redis=redis-6.2"},
                                                    {"servers", "install", "redis-6.2"},
                                                    {"servers", "--json"},
                                                    {"diff", "3", "4"},
                                                    {"--no-predict", "learn", "check", "--all"},
                                                    {"report", "--jobs", "2"},
                                                    {"field", "install", "redis-py"},
                                                    {"field", "run", "redis-py", "--times", "2"},
                                                    {"field", "--json"},
                                                    {"field", "redis-py", "--kept", "runs"},
                                                    {"field", "--report", "x.md"},
                                                    {"locks"},
                                                    {"locks", "new", "x", "--language", "cpp"},
                                                    {"table", "--jobs=2", "--markdown"},
                                                    {"bench", "--quick", "--redis=redis-6.2"},
                                                    {"test", "-R", "Stage4"},
                                                    {"record", "--keep"},
                                                    {"judge", "runs/x"}};
  for (const auto& words : lines) EXPECT_THAT(call(words).errors, HasSubstr("missing: "));
}

TEST_F(Entry, NeedsNoSourceForATestThatIsBuilt) {
  add_tools();
  add_program("ctest", "echo 'Total Tests: 1'");
  EXPECT_EQ(call({"list"}).code, 0);
  EXPECT_EQ(call({"test", "-R", "TestThatIsNotThere"}).code, 0);
}

TEST_F(Entry, SaysWhatItInstallsAndWhenThatFails) {
  add_program("apt-get", "echo 'apt: no network'; exit 100");
  add_program("id", "echo 0");
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_LT(ended.errors.find("installing with apt-get: g++"), ended.errors.find("no network"));
  EXPECT_THAT(ended.errors, HasSubstr("is there a network?"));
}

TEST_F(Entry, DoesNotInstallWhatIsThere) {
  add_tools();
  add_program("apt-get", "exit 100");
  const auto ended = call({"step", "a name with spaces", ""});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output, "<step><a name with spaces><>");
  EXPECT_THAT(ended.errors, IsEmpty());
}

// The other one installs, meanwhile, what is missing here.
TEST_F(Entry, WaitsForAnotherThatInstalls) {
  add_tools();
  add_program("apt-get", "exit 100");
  fs::remove(playground.path("bin/patch"));
  add_program("flock", "[ \"$1\" != -n ] && /bin/ln -s /bin/true '" +
                           playground.path("bin/patch").native() + "'");
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.errors, HasSubstr("waiting for another ./lab"));
}

// ctest itself would go on without it, and run all.
TEST_F(Entry, RefusesAnOptionThatCtestLacks) {
  add_tools();
  add_real_program("ctest");
  const auto ended = call({"test", "--al"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("no option \"--al\"; see ./lab test --help"));
}

TEST_F(Entry, HasNoGreenForATestThatIsNotThere) {
  add_tools();
  add_program("ctest", "echo 'Total Tests: 0'");
  const auto ended = call({"test", "-R", "typo"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("./lab test -N shows"));
  add_program("ctest", "echo 'Total Tests: 10'");
  EXPECT_EQ(call({"test", "-R", "lock"}).code, 0);
}

TEST_F(Entry, ShowsFailuresOnly) {
  add_tools();
  add_program("ctest", R"(case "$*" in *-N*) echo 'Total Tests: 2'; exit ;; esac
    echo '      Start  1: A.Holds'
    echo ' 1/2 Test  #1: A.Holds ........   Passed    0.01 sec'
    echo ' 2/2 Test  #2: A.Breaks .......***Failed    0.01 sec'
    echo 'expected a lock'
    echo 'Label Time Summary:'
    echo 'stage1        =   3.12 sec*proc (2 tests)'
    exit 8)");
  const auto ended = call({"test"});
  EXPECT_EQ(ended.code, 8);
  EXPECT_EQ(ended.output,
            " 2/2 Test  #2: A.Breaks .......***Failed    0.01 sec\nexpected a lock\n");
  EXPECT_THAT(call({"test", "-V"}).output, HasSubstr("Passed"));
}

// What a learner waits for: the tests of the commands and pages are not among them.
TEST_F(Entry, TestsTheLocksIfAskedForNothingElse) {
  add_tools();
  add_program("ctest", R"(case "$*" in *-N*) echo 'Total Tests: 2' ;; *) echo "<$*>" ;; esac)");
  add_program("cmake", "echo >'" + (house() / "build-lab/build.ninja").native() + "'; echo \"$*\"");
  const auto built = [&] {
    std::ifstream log(house() / "build-lab/lab.log");
    return std::string(std::istreambuf_iterator<char>(log), {});
  };
  for (const auto& words : std::vector<std::vector<std::string>>{{"test"}, {"test", "-j", "1"}}) {
    EXPECT_THAT(call(words).output, HasSubstr("--preset lab -L ^locks$"));
    EXPECT_THAT(built(), HasSubstr("--target lab_lock_tests"));
  }
  EXPECT_EQ(call({"test", "--all", "-j", "1"}).output, "<--preset lab -j 1>\n");
  EXPECT_THAT(built(), HasSubstr("--target all"));
  EXPECT_EQ(call({"test", "-L", "book"}).output, "<--preset lab -L book>\n");
  EXPECT_THAT(built(), HasSubstr("--target all"));
}

TEST_F(Entry, NamesInconclusiveCells) {
  add_tools();
  add_program("ctest", R"(case "$*" in *-N*) echo 'Total Tests: 3'; exit ;; esac
    printf '%s\n' '1/3 Test #1: One ... Passed 0.1 sec' 'Failed' 'inconclusive: stage5 slow A.B' \
      'why' 'inconclusive: stage6 slow C.D' '33% tests passed, 2 tests failed out of 3'
    exit 8)");
  const auto ended = call({"test"});
  EXPECT_EQ(ended.code, 8);
  EXPECT_THAT(ended.output, HasSubstr("\n2 inconclusive: the machine did not keep up"));
  EXPECT_THAT(ended.output, HasSubstr("\n    stage5 slow\n    stage6 slow\n"));
  EXPECT_THAT(ended.output, HasSubstr("./lab test -j 1 -R '^(A.B|C.D)'\n"));
}

TEST_F(Entry, CountsTheTestsThatShareAProgram) {
  add_tools();
  add_program("ctest", R"(case "$*" in
      *lab-each*) echo 'Total Tests: 7'; exit ;;
      *-N*) echo 'Total Tests: 2'; exit ;;
    esac
    echo '100% tests passed, 0 tests failed out of 2')");
  EXPECT_EQ(call({"test"}).output, "100% tests passed, 0 tests failed out of 7\n");
  EXPECT_EQ(call({"--lang", "zh", "test"}).output, "测试通过 100%，失败 0 个，共 7 个\n");
}

class EntryEnds : public Entry, public testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(By, EntryEnds, testing::Values(SIGINT, SIGTERM, SIGKILL));

// As of a compiler that takes long, below ninja and cmake.
constexpr const char* builds_long = "echo >building; sh -c 'sleep 1000; true'";

TEST_P(EntryEnds, WithItsBuild) {
  std::signal(SIGINT, SIG_DFL);  // whatever these tests are run under
  add_tools();
  add_program("cmake", "cd '" + house().native() + "'; " + builds_long);
  const auto process = playground.start(house() / "lab", {"list"}, environment());
  await("building");
  kill(process->id(), GetParam());
  expect_nothing_left_of(*process);
}

TEST_P(EntryEnds, WithTheBuildBehindTheTour) {
  std::signal(SIGINT, SIG_DFL);
  add_tools();
  add_program("cmake", "cd '" + house().native() + R"('
    mkdir -p build-lab/tools/app
    echo >build-lab/build.ninja
    case "$*" in *tour_start*)
      echo '#!/bin/sh' >build-lab/tools/app/lab_tour
      echo 'cd "${0%/build-lab/*}"; echo >touring; exec sleep 1000' >>build-lab/tools/app/lab_tour
      /bin/chmod +x build-lab/tools/app/lab_tour ;;
    *stage_clients*) )" + builds_long +
                           " ;;\nesac");
  const auto process = playground.start(house() / "lab", {}, environment());
  await("building");
  await("touring");
  kill(process->id(), GetParam());
  expect_nothing_left_of(*process);
}

TEST_P(EntryEnds, WithItsTests) {
  std::signal(SIGINT, SIG_DFL);
  add_tools();
  add_program("ctest",
              "case \"$*\" in *-N*) exit ;; esac; cd '" + house().native() + "'; " + builds_long);
  const auto process = playground.start(house() / "lab", {"test"}, environment());
  await("building");
  kill(process->id(), GetParam());
  expect_nothing_left_of(*process);
}

TEST_F(Entry, WritesNoControlSequencesOnADumbTerminal) {
  if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  add_tools();
  add_program("cmake", "sleep 2; echo '[1/2] Building'; exit 1");
  auto dumb = environment();
  dumb["TERM"] = "dumb";
  const auto shown =
      Terminal(playground, "'" + (house() / "lab").native() + "' list", dumb).await_end();
  EXPECT_THAT(shown, HasSubstr("lab: configuring"));
  EXPECT_THAT(shown, Not(HasSubstr("\x1b")));
}

TEST_F(Entry, WorksThroughASymlink) {
  add_tools();
  fs::create_symlink("the house/lab", playground.path("link"));
  EXPECT_EQ(call({"list"}, playground.path("link")).output, "<list>");
}

TEST_F(Entry, BuildsACopiedTreeFromTheStart) {
  add_tools();
  const auto kept = house() / "build-lab" / "kept";
  EXPECT_EQ(call({}).code, 0);
  std::ofstream(kept) << "from before";
  EXPECT_EQ(call({}).code, 0);
  EXPECT_TRUE(fs::exists(kept)) << "a second call should leave what is built alone";
  std::ofstream(house() / "build-lab" / "CMakeCache.txt")
      << "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere";
  EXPECT_EQ(call({}).code, 0);
  EXPECT_FALSE(fs::exists(kept)) << "it names another place";
}

TEST_F(Entry, ShowsTheLogOfAFailedBuild) {
  add_tools();
  add_program("cmake", "echo 'error: expected a semicolon'; exit 1");
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("expected a semicolon"));
  EXPECT_THAT(ended.errors, HasSubstr("could not configure"));
  EXPECT_THAT(ended.output, IsEmpty());
}

TEST_F(Entry, SaysWhenItCannotWrite) {
  add_tools();
  std::ofstream(house() / "build-lab") << "a file where the directory should be";
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("cannot write in"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("could not")));
}

}  // namespace
}  // namespace app
