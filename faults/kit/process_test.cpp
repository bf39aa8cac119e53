#include "faults/kit/process.h"

#include <poll.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using testing::AnyOf;
using testing::HasSubstr;

using ProcessTest = KitTest;

bool has_output(Process& process) {
  pollfd source{.fd = process.output().get(), .events = POLLIN, .revents = 0};
  return poll(&source, 1, 0) > 0;
}

// The states of every thread of a process, such as "TTT".
std::string states_of(pid_t process) {
  std::string states;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::ifstream file(thread.path() / "stat");
    std::string stat;
    std::getline(file, stat);
    states += stat.at(stat.rfind(") ") + 2);
  }
  return states;
}

// The line of /proc/self/status that begins with `field`, as a child sees it.
std::string status_line(Process& child, const std::string& field) {
  for (auto line = line_from(child); !line.empty(); line = line_from(child)) {
    if (line.starts_with(field)) return line.substr(field.size());
  }
  return {};
}

TEST_F(ProcessTest, SpeaksThroughPipes) {
  Process echo(shell("cat"), reaper);
  write_line(echo, "hello");
  EXPECT_EQ(line_from(echo), "hello\n");
  echo.input().reset();
  EXPECT_EQ(output_of(echo), "");
  EXPECT_EQ(echo.ending(test_limit).value().text(), "exited with code 0");
}

TEST_F(ProcessTest, AFrozenOneDoesNothingUntilItIsThawed) {
  Process echo(shell("exec cat"), reaper);
  echo.freeze();
  EXPECT_EQ(states_of(echo.id()), "T");
  write_line(echo, "hello");
  EXPECT_FALSE(has_output(echo));
  EXPECT_EQ(states_of(echo.id()), "T");
  echo.thaw();
  EXPECT_EQ(line_from(echo), "hello\n");
}

TEST_F(KitRedisTest, FreezeStopsEveryThread) {
  redis.freeze();
  const auto states = states_of(redis.process().id());
  EXPECT_GT(states.size(), 1U);
  EXPECT_EQ(states, std::string(states.size(), 'T'));
  redis.thaw();
  EXPECT_TRUE(redis.direct().command({"PING"}).text() == "PONG");
}

TEST_F(ProcessTest, FreezingTheDeadIsNotExercised) {
  Process child(shell("exit 0"), reaper);
  ASSERT_TRUE(child.ending(test_limit));
  EXPECT_THAT(said_by<NotExercised>([&] { child.freeze(); }),
              HasSubstr("exited with code 0, so nothing was frozen"));
}

TEST_F(ProcessTest, ThawingWhatIsNotFrozenIsNotExercised) {
  Process child(shell("exec cat"), reaper);
  EXPECT_THAT(said_by<NotExercised>([&] { child.thaw(); }), HasSubstr("was not frozen"));
  child.freeze();
  kill(child.id(), SIGCONT);
  ASSERT_TRUE(eventually([&] { return states_of(child.id()) != "T"; }));
  EXPECT_THAT(said_by<NotExercised>([&] { child.thaw(); }), HasSubstr("was not frozen"));
}

TEST_F(ProcessTest, KillReturnsAfterTheDeath) {
  Process child(shell("exec cat"), reaper);
  child.kill();
  EXPECT_FALSE(child.running());
  EXPECT_TRUE(is_gone(child.id()));
  EXPECT_EQ(child.ending(milliseconds(0)).value().text(), "was killed by signal 9 (Killed)");
}

TEST_F(ProcessTest, KillReachesAFrozenOne) {
  Process child(shell("exec cat"), reaper);
  child.freeze();
  child.kill();
  EXPECT_TRUE(is_gone(child.id()));
}

TEST_F(ProcessTest, KillingWhatEndedByItselfIsNotExercised) {
  Process child(shell("exit 3"), reaper);
  ASSERT_TRUE(child.ending(test_limit));
  EXPECT_THAT(said_by<NotExercised>([&] { child.kill(); }), HasSubstr("exited with code 3"));
}

TEST_F(ProcessTest, TerminateLetsItEndInItsOwnWay) {
  Process child(shell("trap 'exit 7' TERM; echo ready; read -r line; exit 3"), reaper);
  ASSERT_EQ(line_from(child), "ready\n");
  child.terminate();
  child.input().reset();  // a shell told before it reads would look at that only after it has read
  EXPECT_EQ(child.ending(test_limit).value().text(), "exited with code 7");
}

TEST_F(ProcessTest, StillRunningHasNoEnding) {
  Process child(shell("exec cat"), reaper);
  EXPECT_FALSE(child.ending(milliseconds(1)));
  EXPECT_TRUE(child.running());
}

TEST_F(ProcessTest, IsGoneWithItsObjectEvenIfFrozen) {
  auto child = std::make_unique<Process>(shell("exec cat"), reaper);
  const auto id = child->id();
  child->freeze();
  child.reset();
  EXPECT_TRUE(is_gone(id));
}

TEST_F(ProcessTest, AProgramThatIsNotThereCannotRun) {
  auto command = shell("");
  command.program = "/no/such/program";
  EXPECT_EQ(said_by<CannotRun>([&] { const Process process(command, reaper); }),
            "cannot start /no/such/program: No such file or directory");
}

TEST_F(ProcessTest, AFileThatIsNoProgramCannotRun) {
  auto command = shell("");
  command.program = directory.path() / "text";
  std::ofstream(command.program) << "text";
  EXPECT_THAT(said_by<CannotRun>([&] { const Process process(command, reaper); }),
              HasSubstr("Permission denied"));
}

TEST_F(ProcessTest, ALogThatCannotBeWrittenCannotRun) {
  auto command = shell("");
  command.log = "/no/such/directory/log";
  EXPECT_THAT(said_by<CannotRun>([&] { const Process process(command, reaper); }),
              HasSubstr("cannot write /no/such/directory/log"));
}

TEST_F(ProcessTest, ItsStandardErrorIsItsLog) {
  Process child(shell("echo alas >&2"), reaper);
  ASSERT_TRUE(child.ending(test_limit));
  std::ifstream log(directory.path() / "shell.log");
  std::string line;
  std::getline(log, line);
  EXPECT_EQ(line, "alas");
}

TEST_F(ProcessTest, BlocksNoSignalWhateverTheRunnerBlocks) {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ours, signal);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  Process child(shell("exec cat /proc/self/status"), reaper);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(status_line(child, "SigBlk:\t"), "0000000000000000\n");
}

TEST_F(ProcessTest, IsEndedByABrokenPipeAsAnyProgramIs) {
  Process child(shell("exec cat /proc/self/status"), reaper);  // the reaper has us ignore SIGPIPE
  const auto ignored = std::stoull(status_line(child, "SigIgn:\t"), nullptr, 16);
  EXPECT_EQ(ignored & (1ULL << (SIGPIPE - 1)), 0U);
}

TEST_F(ProcessTest, InheritsNothingButItsStandardStreams) {
  const Descriptor leaky(dup(directory.path().empty() ? -1 : STDIN_FILENO));  // no CLOEXEC
  Process child(shell("ls /proc/$$/fd"), reaper);
  // 10 is where some shells keep what they run.
  EXPECT_THAT(output_of(child), AnyOf("0\n1\n2\n", "0\n1\n10\n2\n"));
}

TEST_F(ProcessTest, AddsToTheEnvironmentAndReplaces) {
  setenv("LAB_TEST_KEPT", "ours", 1);
  setenv("LAB_TEST_REPLACED", "ours", 1);
  auto command = shell("echo $LAB_TEST_KEPT $LAB_TEST_REPLACED $LAB_TEST_ADDED");
  command.environment = {{"LAB_TEST_REPLACED", "theirs"}, {"LAB_TEST_ADDED", "new"}};
  Process child(command, reaper);
  EXPECT_EQ(line_from(child), "ours theirs new\n");
  EXPECT_STREQ(std::getenv("LAB_TEST_REPLACED"), "ours");
}

TEST_F(ProcessTest, IsOutOfTheTerminalsReach) {
  Process child(shell("echo ready; exec cat"), reaper);
  ASSERT_EQ(line_from(child), "ready\n");
  EXPECT_EQ(getpgid(child.id()), child.id());
}

TEST_F(ProcessTest, NothingStartsOnceTheReaperHasFinished) {
  Reaper other;
  other.finish();
  EXPECT_THAT(said_by<CannotRun>([&] { const Process process(shell("exec cat"), other); }),
              HasSubstr("this run is being ended"));
}

}  // namespace
}  // namespace faults
