// `lab learn` as a learner calls it, in a folder of his own.
#include "tools/learning/learn.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "faults/testing/called_program.h"
#include "tools/book/documents.h"
#include "tools/learning/progress.h"
#include "tools/learning/workspace/exercise.h"
#include "tools/terminal/testing/known_text.h"

namespace learning {
namespace {

using faults::ProgramResult;
using faults::Terminal;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Learn : public testing::Test {
 protected:
  ProgramResult learn(std::vector<std::string> arguments,
                      faults::Playground::Environment environment = {}) {
    arguments.insert(arguments.begin(), "learn");
    arguments.insert(arguments.end(), {"--directory", playground_.path("learn").native(), "--runs",
                                       playground_.path("runs").native()});
    return playground_.call(LAB_PROGRAM, std::move(arguments), std::move(environment));
  }

  // The command as the program says it here.
  std::string typed(const std::string& words) {
    return "./lab learn --directory " + playground_.path("learn").native() + " " + words;
  }

  // For a shell, or a terminal.
  std::string check() {
    return fmt::format("'{}' learn check --directory '{}' --runs '{}'", LAB_PROGRAM,
                       playground_.path("learn").native(), playground_.path("runs").native());
  }

  nlohmann::json state() { return nlohmann::json::parse(learn({"--json"}).output); }

  std::filesystem::path mine(const std::string& file) const {
    return playground_.path("learn") / "exercise1" / file;
  }

  faults::Playground playground_;
};

using LearnCheck = Learn;
using LearnGuess = Learn;
using LearnNames = Learn;

TEST_F(Learn, SaysHowToBeginWhenNothingWasBegun) {
  const auto ended = learn({});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.output, HasSubstr(typed("start 1")));
}

TEST_F(Learn, QuotesItsDirectoryForAShell) {
  const auto directory = playground_.path("my locks").native();
  const auto ended = playground_.call(LAB_PROGRAM, {"learn", "--directory", directory});
  EXPECT_THAT(ended.output, HasSubstr("./lab learn --directory '" + directory + "' start 1"));
}

TEST_F(Learn, StepsThroughTheOwnLockIfItCompiles) {
  (void)learn({"start", "1"});
  const auto ended = learn({"step"});  // nobody types anything
  EXPECT_EQ(ended.code, 3) << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("A: begin"), HasSubstr("B: begin")));
  std::ofstream(mine("lock.cpp"), std::ios::app) << "nonsense;\n";
  const auto broken = learn({"step"});
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.errors, AllOf(HasSubstr("does not compile"), HasSubstr(typed("check"))));
}

TEST_F(Learn, PutsALockInPlaceAndSaysWhichFileToOpen) {
  const auto ended = learn({"start", "1"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("exercise1/lock.cpp"), HasSubstr("learn check")));
  EXPECT_TRUE(std::filesystem::exists(mine("lock.cpp")));
  EXPECT_EQ(state()["at"], "1");
}

// Lines that are English on purpose: a timeline's lanes, code, and files.
void expect_chinese(const std::string& output) {
  static const std::regex left_alone(" *[0-9]+  .*|.*[{};]|.*learn/.*|[-+@].*|1 error .*");
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, left_alone)) continue;
    EXPECT_EQ(terminal::english_in(line), "") << line;
  }
}

TEST_F(Learn, SpeaksChinese) {
  const faults::Playground::Environment chinese{{"LC_ALL", "zh_CN.UTF-8"}};
  const auto in_chinese = [&](const std::vector<std::string>& arguments) {
    const auto ended = learn(arguments, chinese);
    expect_chinese(ended.output);
    return ended.output + ended.errors;
  };
  (void)in_chinese({});
  EXPECT_THAT(in_chinese({"start", "1"}), HasSubstr("打开："));
  EXPECT_THAT(in_chinese({"start", "1"}), HasSubstr("已经存在"));
  EXPECT_THAT(in_chinese({"check"}), AllOf(HasSubstr("没有问服务器"), HasSubstr("证据：")));
  EXPECT_THAT(in_chinese({"list"}), HasSubstr("红"));
  EXPECT_THAT(in_chinese({"hint"}), HasSubstr("看哪里"));
  EXPECT_THAT(in_chinese({"check"}), HasSubstr("和我们的第一处不同"));
  EXPECT_THAT(in_chinese({"solution"}), HasSubstr("还没有做出来"));
  EXPECT_THAT(in_chinese({"reset"}), HasSubstr("最初的样子"));
  EXPECT_THAT(in_chinese({"score"}), HasSubstr("还没有猜过"));
  EXPECT_THAT(in_chinese({"start", "counts_up"}), HasSubstr("累加的重入次数"));
  EXPECT_THAT(in_chinese({"jump"}), HasSubstr("哪个练习？"));
}

TEST_F(Learn, KeepsWhatWasThereWhenItBeginsAnew) {
  EXPECT_THAT(learn({"start", "1"}).output, Not(HasSubstr("is kept")));
  std::ofstream(mine("lock.cpp")) << "mine";
  EXPECT_THAT(learn({"start", "1"}).output, HasSubstr("exercise1 is there already and is kept"));
  std::string kept;
  std::ifstream(mine("lock.cpp")) >> kept;
  EXPECT_EQ(kept, "mine");
  EXPECT_EQ(learn({"reset"}).code, 0);
  std::ifstream(playground_.path("learn") / "old/exercise1-1/lock.cpp") >> kept;
  EXPECT_EQ(kept, "mine");
  // Also from elsewhere.
  std::ofstream(mine("lock.cpp")) << "theirs";
  (void)learn({"start", "2"});
  EXPECT_THAT(learn({"reset", "1"}).output, HasSubstr("exercise1"));
  std::ifstream(playground_.path("learn") / "old/exercise1-2/lock.cpp") >> kept;
  EXPECT_EQ(kept, "theirs");
}

TEST_F(Learn, PutsBackWhatIsMissingAndKeepsWhatIsThere) {
  (void)learn({"start", "1"});
  std::ofstream(mine("lock.h")) << "mine";
  std::filesystem::remove(mine("lock.cpp"));
  const auto check = learn({"check"});
  EXPECT_EQ(check.code, 2);
  EXPECT_THAT(check.errors, HasSubstr(typed("start 1") + " puts it back"));
  EXPECT_EQ(learn({"start", "1"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(mine("lock.cpp")));
  std::string kept;
  std::ifstream(mine("lock.h")) >> kept;
  EXPECT_EQ(kept, "mine");
}

TEST_F(Learn, BeginsAnewAlsoWithoutALock) {
  (void)learn({"start", "1"});
  std::ofstream(mine("lock.h")) << "mine";
  std::filesystem::remove(mine("lock.cpp"));
  EXPECT_EQ(learn({"reset"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(mine("lock.cpp")));
  EXPECT_TRUE(std::filesystem::exists(playground_.path("learn") / "old/exercise1-1/lock.h"));
}

TEST_F(Learn, LeavesOutWhatLiesBeforeAJump) {
  EXPECT_EQ(learn({"jump", "3"}).code, 0);
  const auto listed = nlohmann::json::parse(learn({"list", "--json"}).output);
  EXPECT_EQ(listed[0]["state"], "skipped");
  EXPECT_EQ(listed[2]["state"], "begun");
}

TEST_F(Learn, GoesOnToTheNextAlsoAfterGoingBack) {
  (void)learn({"jump", "8"});
  (void)learn({"jump", "6"});
  change_progress(playground_.path("learn"),
                  [](Progress& progress) { progress.attempts["6"].state = "green"; });
  EXPECT_THAT(learn({}).output, HasSubstr("next: " + typed("start 7")));
}

TEST_F(Learn, GoesBackToWhatWasLeftOutAfterTheLast) {
  (void)learn({"jump", "8"});
  change_progress(playground_.path("learn"),
                  [](Progress& progress) { progress.attempts["8"].state = "green"; });
  EXPECT_THAT(learn({}).output, HasSubstr("next: " + typed("start 1")));
}

TEST_F(Learn, NamesTheChallengesAfterPython) {
  const faults::Playground::Environment chinese{{"LC_ALL", "zh_CN.UTF-8"}};
  EXPECT_THAT(learn({"list"}).output, HasSubstr("learning/challenges/README.md"));
  EXPECT_THAT(learn({"list"}, chinese).output, HasSubstr("learning/challenges/README.zh.md"));
  for (const auto* name : {"python1", "python2", "python3", "python4"}) {
    (void)learn({"start", name});
    change_progress(playground_.path("learn"),
                    [&](Progress& progress) { progress.attempts[name].state = "green"; });
  }
  EXPECT_THAT(learn({}).output, HasSubstr("learning/challenges/README.md"));
  EXPECT_THAT(learn({}, chinese).output, HasSubstr("learning/challenges/README.zh.md"));
}

TEST_F(Learn, GivesOneHintAfterTheOther) {
  (void)learn({"start", "1"});
  EXPECT_THAT(learn({"hint"}).output, AllOf(HasSubstr("1."), Not(HasSubstr("2."))));
  EXPECT_THAT(learn({"hint"}).output, AllOf(HasSubstr("2."), Not(HasSubstr("3."))));
  EXPECT_THAT(learn({"hint"}).output, AllOf(HasSubstr("3."), Not(HasSubstr("why production"))));
}

TEST_F(Learn, SaysBesideAHintWhatIsRed) {
  (void)learn({"start", "1"});
  const auto be_red_at = [&](const std::string& scenario) {
    change_progress(playground_.path("learn"), [&](Progress& progress) {
      progress.attempts["1"].state = "red";
      progress.attempts["1"].scenario = scenario;
      progress.attempts["1"].sentence = "your acquire looks first";
    });
  };
  be_red_at("work_throws");
  EXPECT_THAT(learn({"hint"}).output,
              AllOf(HasSubstr("your acquire looks first"), HasSubstr("another scenario")));
  // An exercise's old promise has the hints of the exercise that it comes from.
  be_red_at("reply_lost_release");
  EXPECT_THAT(learn({"hint"}).output, HasSubstr("An old promise; its hints: A lost answer"));
  be_red_at("same_thread_id");
  EXPECT_THAT(learn({"hint"}).output,
              AllOf(HasSubstr("your acquire looks first"), Not(HasSubstr("another scenario"))));
}

TEST_F(Learn, HintsAtAnOldPromiseInItsLanguage) {
  (void)learn({"start", "python2"});
  change_progress(playground_.path("learn"), [](Progress& progress) {
    progress.attempts["python2"].state = "red";
    progress.attempts["python2"].scenario = "same_thread_id";
    progress.attempts["python2"].hints = 2;
  });
  EXPECT_THAT(learn({"hint"}).output,
              AllOf(HasSubstr("self.server.command"), Not(HasSubstr("server_.command"))));
}

TEST_F(Learn, ShowsOursWhenAskedTwice) {
  (void)learn({"start", "1"});
  EXPECT_THAT(learn({"solution"}).output, HasSubstr("not solved yet"));
  EXPECT_THAT(learn({"solution"}).output, HasSubstr("+++ ours/lock.cpp"));
}

TEST_F(LearnNames, AreSuggestedForTypos) {
  const auto command = learn({"chek"});
  EXPECT_EQ(command.code, 2);
  EXPECT_THAT(command.errors, HasSubstr("did you mean check"));
  EXPECT_THAT(learn({"jump"}).errors, HasSubstr("which exercise? such as " + typed("jump 4")));
  EXPECT_THAT(learn({"jmup"}).errors, HasSubstr("did you mean jump?"));
  const auto exercise = learn({"start", "nomarker"});
  EXPECT_EQ(exercise.code, 2);
  EXPECT_THAT(exercise.errors, HasSubstr("did you mean no_marker"));
}

TEST_F(LearnNames, MayBeCutShortWhereOneIsMeant) {
  EXPECT_EQ(learn({"start", "counts"}).code, 0);
  EXPECT_EQ(state()["at"], "counts_up");
  const auto several = learn({"start", "c"});  // also checks_then_renews
  EXPECT_EQ(several.code, 2);
  EXPECT_THAT(several.errors, HasSubstr("there is no exercise \"c\""));
}

TEST_F(LearnNames, AreNotSuggestedForWhatIsNoTypo) {
  for (const auto& words : {std::vector<std::string>{"xyzzy"}, {"start", "xyzzy"}}) {
    const auto command = learn(words);
    EXPECT_EQ(command.code, 2);
    EXPECT_THAT(command.errors, Not(HasSubstr("did you mean")));
    EXPECT_THAT(command.errors, HasSubstr("shows all"));
  }
}

TEST_F(LearnCheck, NeedsAnExerciseThatWasBegun) {
  const auto ended = learn({"check"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("begin with " + typed("start 1")));
}

// It is not the learner's fault, so nothing turns red.
TEST_F(LearnCheck, CannotRunWhereTheMachineFails) {
  (void)learn({"start", "1"});
  playground_.write_script("redis", R"(
    [ "$1" = --version ] && { echo 'Redis server v=7.0.15'; exit; }
    echo 'no memory today' >&2
    exit 1)");
  const auto no_server = learn({"check"}, {{"REDIS_SERVER", playground_.path("redis")}});
  EXPECT_EQ(no_server.code, 2);
  EXPECT_THAT(no_server.errors, HasSubstr("did not start"));
  std::filesystem::remove_all(playground_.path("runs"));
  std::ofstream(playground_.path("runs")) << "a file, not a directory";
  const auto no_runs = learn({"check"});
  EXPECT_EQ(no_runs.code, 2);
  EXPECT_THAT(no_runs.errors, HasSubstr("choose another with --runs"));
  EXPECT_EQ(state()["state"], "begun");
}

TEST_F(LearnCheck, SaysWhatTheLockDidWhereAndWhatToLookAt) {
  (void)learn({"start", "1"});
  EXPECT_THAT(learn({"check"}).output,
              AllOf(HasSubstr("without asking the server"), HasSubstr("seen: A's acquire at"),
                    HasSubstr("look at: "), Not(HasSubstr("first difference"))));
  // Our solution's commands are shown from the first hint on.
  (void)learn({"hint"});
  EXPECT_THAT(learn({"check"}).output,
              AllOf(HasSubstr("the first difference to ours:"), HasSubstr("ours sent SETNX")));
}

TEST_F(LearnCheck, GoesOnToTheNextPart) {
  (void)learn({"start", "3"});
  const auto file = playground_.path("learn") / "exercise3/lock.cpp";
  auto text = book::read_file(file);
  const auto from = text.find("    const auto set = server_.command({\"SETNX\"");
  const auto to = text.find("  } catch", from);
  ASSERT_NE(to, std::string::npos) << text;
  text.replace(from, to - from, R"(
    const auto set = server_.command(
        {"SET", key_, "held", "NX", "PX", std::to_string(lease_.count())});
    return set.is_ok() ? core::Acquire::acquired : core::Acquire::contended;
)");
  book::write_file(file, text);
  const auto check = learn({"check"});
  EXPECT_EQ(check.code, 0) << check.output << check.errors;
  EXPECT_THAT(check.output, AllOf(HasSubstr("✓ part 1 of 3"), HasSubstr("part 2 of 3")));
  EXPECT_EQ(state()["part"], 2);
  EXPECT_EQ(state()["state"], "begun");
  EXPECT_THAT(learn({"check"}).output, HasSubstr("stranger_release"));
}

TEST_F(LearnCheck, SaysWhichFileIsStillToBeMade) {
  const auto named = HasSubstr("release.lua (to be made)");
  EXPECT_THAT(learn({"jump", "4"}).output, named);
  EXPECT_THAT(learn({"check"}).output, named);
}

TEST_F(LearnCheck, SuggestsTheStoryThatWasMeant) {
  (void)learn({"start", "1"});
  const auto unknown = learn({"check", "work_trows"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("did you mean work_throws"));
}

TEST_F(LearnCheck, GoesFromWhatDoesNotCompileToGreen) {
  (void)learn({"start", "1"});
  const auto ours = exercise_named("1").solution() / "lock.cpp";
  std::ofstream(mine("lock.cpp"), std::ios::app) << "no C++\n";
  const auto broken = learn({"check"});
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.output, AllOf(HasSubstr("does not compile yet"), HasSubstr("\nlock.cpp:")));
  EXPECT_THAT(learn({"hint"}).output, Not(HasSubstr("another scenario")));
  std::filesystem::copy_file(ours, mine("lock.cpp"),
                             std::filesystem::copy_options::overwrite_existing);
  // One story alone says nothing of the others.
  const auto one = learn({"check", "work_throws"});
  EXPECT_EQ(one.code, 0) << one.output << one.errors;
  EXPECT_THAT(one.output, AllOf(HasSubstr("✓ work_throws holds"), HasSubstr(typed("check"))));
  EXPECT_EQ(state()["last_check"], "red");
  const auto solved = learn({"check", "--search", "30"});
  EXPECT_EQ(solved.code, 0) << solved.output << solved.errors;
  EXPECT_THAT(solved.output, AllOf(HasSubstr("✓"), HasSubstr("start 2")));
  // There are more orders than that.
  EXPECT_THAT(solved.output, HasSubstr(typed("check --search 100000")));
  EXPECT_EQ(state()["state"], "green");
  EXPECT_THAT(learn({"hint"}).output, HasSubstr("why production code does it so"));
}

TEST_F(LearnCheck, SaysWhichStoryAScriptThatFailsBreaksOff) {
  (void)learn({"start", "4"});
  const auto ours = exercise_named("4").solution();
  for (const auto* file : {"lock.h", "lock.cpp", "release.lua"}) {
    std::filesystem::copy_file(ours / file, playground_.path("learn") / "exercise4" / file,
                               std::filesystem::copy_options::overwrite_existing);
  }
  std::ofstream(playground_.path("learn") / "exercise4/release.lua") << "return nowhere\n";
  EXPECT_THAT(learn({"check"}).output,
              AllOf(HasSubstr("exercise4 · frozen_mid_release   not exercised"),
                    HasSubstr("global variable 'nowhere'")));
}

TEST_F(Learn, KeepsScoreOfWhatSurprised) {
  change_progress(playground_.path("learn"), [](Progress& progress) {
    progress.guesses = {{"exercise1", "same_thread_id", "holds", "two inside"},
                        {"stage1_setnx", "killed_holder", "stuck", "stuck"}};
  });
  const auto ended = learn({"score"});
  EXPECT_THAT(ended.output, AllOf(HasSubstr("1 of 2 guesses were right"),
                                  HasSubstr("you said: holds; it was: two inside (a surprise)")));
}

TEST_F(Learn, NamesTheBrokenProgressFile) {
  std::filesystem::create_directories(playground_.path("learn"));
  std::ofstream(playground_.path("learn") / "progress.json") << "{";
  const auto ended = learn({});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("progress.json cannot be read"));
}

TEST_F(LearnGuess, IsRightAtAnyOfThePlacesWhereItBroke) {
  change_progress(playground_.path("learn"), [](Progress& progress) {
    progress.guesses = {{.lock = "exercise4",
                         .scenario = "frozen_mid_release",
                         .guessed = "two inside: B and C",
                         .happened = "two inside: B and C",
                         .guessed_at = "on the way",
                         .happened_at = {"between two commands", "on the way"}},
                        {.lock = "exercise4",
                         .scenario = "frozen_mid_release",
                         .guessed = "two inside: B and C",
                         .happened = "two inside: B and C",
                         .guessed_at = "before the answer",
                         .happened_at = {"between two commands"}}};
  });
  EXPECT_THAT(learn({"score"}).output,
              AllOf(HasSubstr("1 of 2 guesses were right"),
                    HasSubstr("two inside: B and C, between two commands and on the way\n"),
                    HasSubstr("you said: two inside: B and C, before the answer; it was: two "
                              "inside: B and C, between two commands (a surprise)")));
  const auto score = nlohmann::json::parse(learn({"score", "--json"}).output);
  EXPECT_EQ(score["guesses"][0]["right"], true);
  EXPECT_EQ(score["guesses"][1]["right"], false);
  EXPECT_EQ(score["guesses"][1]["guessed_at"], "before the answer");
  EXPECT_EQ(score["guesses"][1]["happened_at"][0], "between two commands");
}

TEST_F(LearnGuess, OfBeforeOneAskedWhereIsStillRead) {
  std::filesystem::create_directories(playground_.path("learn"));
  std::ofstream(playground_.path("learn") / "progress.json")
      << R"({"at": "1", "guesses": [{"lock": "exercise1", "scenario": "same_thread_id",
             "guessed": "stuck", "happened": "stuck"}]})";
  EXPECT_THAT(learn({"score"}).output, HasSubstr("1 of 1 guesses were right"));
}

TEST_F(LearnGuess, IsAskedBeforeACheckAndKeptBesideWhatCame) {
  if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  (void)learn({"start", "4"});
  Terminal terminal(playground_, check());
  const auto answer = [&](const std::string& question, std::string_view keys) {
    terminal.await(question);
    terminal.press(keys);
  };
  terminal.await("What will happen?");
  answer("no idea  ", "x\n");  // Enter after a wrong key answers nothing
  answer("one of the keys in brackets, please  ", "3");
  terminal.await("Where in the release?");
  answer("no idea  ", "b");
  terminal.await(
      "you said: two inside: B and C, between two commands; it was: two inside: B and C, ");
  terminal.await_end();
  const auto guess = nlohmann::json::parse(learn({"score", "--json"}).output)["guesses"][0];
  EXPECT_EQ(guess["guessed_at"], "between two commands");
  EXPECT_EQ(guess["right"], true);
}

// The lock that exercise 1 begins with never asks a server: not exercised, and two are inside.
TEST_F(LearnGuess, CountsTwoInsideWithoutALock) {
  if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  (void)learn({"start", "1"});
  Terminal terminal(playground_, check());
  terminal.await("[Enter] no idea");
  terminal.press("t");
  terminal.await("you said: two inside: A and B; it was: two inside: A and B");
  terminal.await_end();
  EXPECT_THAT(learn({"score"}).output, HasSubstr("1 of 1 guesses were right"));
}

// Nothing of it is kept: the tour ends while it asks.
TEST_F(LearnGuess, AsksInTheTourAsWell) {
  if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  const auto tour = fmt::format("'{}' --runs '{}'", LAB_PROGRAM, playground_.path("runs").native());
  Terminal terminal(playground_, tour);
  const auto answer = [&](const std::string& question, std::string_view keys) {
    terminal.await(question);
    terminal.press(keys);
  };
  answer("[Enter] continues", "\n");
  for ([[maybe_unused]] const auto* told : {"stage 1", "the same on stage 2"}) {
    answer("[Enter] no idea", "\n");
    answer("[Enter] continues", "\n");
  }
  answer("[Enter] continues", "\n");
  answer("[Enter] no idea", "s");
  terminal.await("Where in the acquire?");
  answer("[Enter] no idea", "\x03");
  EXPECT_THAT(terminal.await_end(), HasSubstr("interrupted"));
}

TEST_F(LearnGuess, HeedsACtrlCRightAfterTheAnswer) {
  if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  const auto tour = fmt::format("'{}' --runs '{}'", LAB_PROGRAM, playground_.path("runs").native());
  Terminal terminal(playground_, tour);
  terminal.await("[Enter] continues");
  terminal.press("\n");
  terminal.await("[Enter] no idea");
  terminal.press("h\x03");
  EXPECT_THAT(terminal.await_end(), HasSubstr("interrupted"));
}

// In another terminal a person continues, or begins again.
TEST_F(LearnCheck, FollowsTheLearnerWhileItWatches) {
  if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  const auto spoil = [&](const std::string& number) {  // what does not compile is soon told
    std::ofstream(playground_.path("learn") / ("exercise" + number) / "lock.cpp", std::ios::app)
        << "no C++\n";
  };
  for (const auto* number : {"2", "1"}) {
    (void)learn({"start", number});
    spoil(number);
  }
  Terminal terminal(playground_, fmt::format("'{}' learn watch --directory '{}' --runs '{}'",
                                             LAB_PROGRAM, playground_.path("learn").native(),
                                             playground_.path("runs").native()));
  terminal.await("exercise 1:");
  terminal.await("waiting for a save");
  EXPECT_EQ(learn({"reset"}).code, 0);
  spoil("1");
  terminal.await("waiting for a save");
  (void)learn({"start", "2"});
  terminal.await("exercise 2:");
  terminal.await("waiting for a save");
  terminal.press("\x03");
  EXPECT_THAT(terminal.await_end(), HasSubstr("interrupted"));
}

TEST_F(LearnCheck, ObeysKeysWhileItWatches) {
  if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  (void)learn({"start", "1"});
  std::ofstream(mine("lock.cpp"), std::ios::app) << "no C++\n";
  Terminal terminal(playground_, fmt::format("'{}' learn watch --directory '{}' --runs '{}'",
                                             LAB_PROGRAM, playground_.path("learn").native(),
                                             playground_.path("runs").native()));
  terminal.await("[q] leave");
  terminal.press("h");
  terminal.await("what to look at");
  terminal.await("[q] leave");
  terminal.press("n");  // the first that is not solved yet is this one
  terminal.await("The lock you are given");
  terminal.await("[q] leave");
  terminal.press("q");
  (void)terminal.await_end();
}

// A quiz, the key for what comes, and the word for it.
struct Quiz {
  int exercise;
  std::string_view key;
  std::string word;

  friend void PrintTo(const Quiz& quiz, std::ostream* out) { *out << quiz.word; }
};

class LearnQuiz : public Learn, public testing::WithParamInterface<Quiz> {
 protected:
  // Returns all that it says, once `key` is pressed.
  std::string answered(std::string_view key) {
    Terminal terminal(playground_,
                      fmt::format("'{}' learn quiz {} --no-color --directory '{}'", LAB_PROGRAM,
                                  GetParam().exercise, playground_.path("learn").native()));
    terminal.await("1  A: begin");
    terminal.await("What will happen?");
    terminal.await("no idea  ");
    terminal.press(key);
    return terminal.await_end();
  }
};

TEST_P(LearnQuiz, AsksAndReplaysWhatTheSearchFound) {
  if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  const auto& quiz = GetParam();
  EXPECT_THAT(answered(quiz.key),
              AllOf(HasSubstr("violated: "),
                    HasSubstr(fmt::format("you said: {0}; it was: {0}", quiz.word)),
                    HasSubstr(typed(fmt::format("start {}", quiz.exercise + 1)))));
  EXPECT_THAT(answered("h"), HasSubstr("you said: holds; it was: " + quiz.word));
}

INSTANTIATE_TEST_SUITE_P(Every, LearnQuiz,
                         testing::Values(Quiz{1, "s", "stuck"}, Quiz{2, "s", "stuck"},
                                         Quiz{3, "o", "something else"},
                                         Quiz{4, "t", "two inside: A and B"}, Quiz{5, "s", "stuck"},
                                         Quiz{6, "t", "two inside: A and B"},
                                         Quiz{7, "t", "two inside: A and B"}),
                         [](const auto& test) { return std::to_string(test.param.exercise); });

TEST_F(Learn, GoesOnWithAQuizIfNobodyCanBeAsked) {
  EXPECT_THAT(learn({"quiz", "3"}).output, AllOf(HasSubstr("A: freeze"), HasSubstr("violated: ")));
}

TEST_F(Learn, NamesTheQuizzesThatThereAre) {
  const auto ended = learn({"quiz", "8"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors,
              HasSubstr("exercise 8 has no quiz; these have one: 1, 2, 3, 4, 5, 6, 7"));
}

TEST_F(LearnCheck, JudgesALockInPython) {
  (void)learn({"start", "python1"});
  EXPECT_THAT(learn({"check"}).output, HasSubstr("without asking the server"));
  const auto file = playground_.path("learn") / "python1/lock.py";
  std::ofstream(file, std::ios::app) << "no Python\n";
  EXPECT_THAT(learn({"check"}).output, HasSubstr("lock.py: line "));
  book::write_file(file, book::read_file(exercise_named("python1").ours() / "lock.py"));
  const auto one = learn({"check", "same_thread_id"});
  EXPECT_EQ(one.code, 0) << one.output << one.errors;
}

// Every promise, and the search.
using LongLearnCheck = Learn;
TEST_F(LongLearnCheck, SolvesAnExerciseInPython) {
  (void)learn({"start", "python1"});
  book::write_file(playground_.path("learn") / "python1/lock.py",
                   book::read_file(exercise_named("python1").ours() / "lock.py"));
  const auto solved = learn({"check", "--search", "200"});
  EXPECT_EQ(solved.code, 0) << solved.output << solved.errors;
}

TEST_F(Learn, ForgetsWhatWasRedWhenItBeginsAnew) {
  (void)learn({"start", "1"});
  std::ofstream(mine("lock.cpp"), std::ios::app) << "no C++\n";
  EXPECT_EQ(learn({"check"}).code, 1);
  EXPECT_EQ(state()["red"]["scenario"], "the build");
  (void)learn({"solution"});
  (void)learn({"reset"});
  EXPECT_TRUE(state()["red"].is_null());
  EXPECT_THAT(learn({"solution"}).output, HasSubstr("not solved yet"));
}

TEST_F(LearnCheck, SaysWhichLineOfAScriptCannotBeRead) {
  (void)learn({"start", "4"});
  std::ofstream(playground_.path("learn") / "exercise4/release.lua") << "-- a comment\nif a\n";
  const auto broken = learn({"check"});
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.output, AllOf(HasSubstr("does not compile yet"),
                                   HasSubstr("\nrelease.lua:3: error: 'then' expected near")));
  EXPECT_THAT(learn({}).output, HasSubstr("release.lua:3: error"));
}

}  // namespace
}  // namespace learning
