// Programs in Java in virtual time. Skipped without a JDK.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "faults/explore/testing/java_classes.h"
#include "faults/explore/testing/kept_python.h"
#include "faults/explore/testing/searched_program.h"
#include "faults/explore/world/unix_socket.h"

namespace {

class JavaProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!explore::has_javac()) GTEST_SKIP() << "there is no javac";
    command_ = explore::java_program("preload/TestingProgram.java");
    ASSERT_FALSE(command_.empty());
  }

  std::string said_by(const std::vector<std::string>& words) {
    auto command = command_;
    command.insert(command.end(), words.begin(), words.end());
    return program.said_by(command);
  }

  faults::Reaper reaper;
  explore::SearchedProgram program{reaper};
  std::vector<std::string> command_;
};

TEST_F(JavaProgram, SleepsForHoursInNoTime) {
  EXPECT_EQ(said_by({"sleep"}), "36000\n");
  EXPECT_NO_THROW(program.inside().must_take_part("the program"));
}

// Its own threads wait, too, for as long as the machine runs.
TEST_F(JavaProgram, HasNoDeadlinesOfItsOwn) {
  EXPECT_EQ(said_by({"sleep"}), "36000\n");
  EXPECT_EQ(program.time().now(), std::chrono::hours(10));
  EXPECT_EQ(program.inside().next_deadline(), std::nullopt);
}

TEST_F(JavaProgram, KeepsTheDeadlineOfARead) {
  const auto listener = explore::listen_at(program.socket(7));
  EXPECT_EQ(said_by({"timeout", "127.0.0.1"}), "timeout\n");
  EXPECT_EQ(program.time().now(), std::chrono::seconds(7));
}

TEST_F(JavaProgram, ConnectsByIpv6) {
  const auto listener = explore::listen_at(program.socket(7));
  EXPECT_EQ(said_by({"timeout", "::1"}), "timeout\n");
}

TEST_F(JavaProgram, WakesItsSelector) {
  const auto listener = explore::listen_at(program.socket(7));
  EXPECT_EQ(said_by({"select", "127.0.0.1"}), "0\n");
  EXPECT_EQ(program.time().now(), std::chrono::seconds(3));
}

TEST_F(JavaProgram, MayHaveAHundredThreads) {
  EXPECT_EQ(said_by({"threads"}), "done\n");
  EXPECT_NO_THROW(program.inside().must_take_part("the program"));
}

TEST_F(JavaProgram, DrawsTheSameRandomNumbers) {
  constexpr int times = 10;
  const auto first = said_by({"random"});
  EXPECT_THAT(first, testing::StartsWith("["));
  for (int i = 1; i < times; ++i) EXPECT_EQ(said_by({"random"}), first);
}

// Beside other processes, as in a scenario: a Python program starts it.
class KeptJavaProgram : public JavaProgram {
 protected:
  void SetUp() override {
    JavaProgram::SetUp();
    if (!explore::KeptPython::is_there()) GTEST_SKIP() << "there is no Python here";
  }

  // What it says, what it ends with, and how many seconds that took.
  std::string said_by(const std::string& word) {
    return python_.said_by(
        fmt::format("begin = time.monotonic()\n"
                    "words = ['{}', '{}']\n"
                    "pipe = subprocess.PIPE\n"
                    "child = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True)\n"
                    "said = child.stdout.readline().strip()\n"
                    "say(said, child.wait(), int(since(begin)))\n",
                    fmt::join(command_, "', '"), word));
  }

  explore::KeptPython python_{reaper};
};

TEST_F(KeptJavaProgram, HaltsWhileAThreadReads) {
  EXPECT_EQ(said_by("halt"), "halts 0 1");
}

}  // namespace
