#include "faults/kit/reaper.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Another runner, with a server, a stopped child and two directories of its own.
class RunnerTest : public KitTest {
 protected:
  void start(const std::string& argument) { start(LAB_RUNNER_FIXTURE, {"runner", argument}); }
  void start(const fs::path& program, const std::vector<std::string>& arguments) {
    runner = std::make_unique<Process>(Command{.program = program,
                                               .arguments = arguments,
                                               .environment = {},
                                               .log = directory.path() / "runner.log"},
                                       reaper);
    for (auto* process : {&server, &stopped}) *process = std::stoi(line_from(*runner));
    for (auto* path : {&its_directory, &servers_directory}) *path = path_from(line_from(*runner));
  }
  void everything_is_there() const {
    EXPECT_FALSE(is_gone(server));
    EXPECT_FALSE(is_gone(stopped));
    EXPECT_TRUE(fs::exists(its_directory));
    EXPECT_TRUE(fs::exists(servers_directory));
  }
  void nothing_is_left() const {
    EXPECT_TRUE(eventually([this] { return is_gone(server) && is_gone(stopped); }));
    EXPECT_TRUE(eventually(
        [this] { return !fs::exists(its_directory) && !fs::exists(servers_directory); }));
  }
  static fs::path path_from(const std::string& line) { return line.substr(0, line.size() - 1); }

  std::unique_ptr<Process> runner;
  pid_t server = 0;
  pid_t stopped = 0;
  fs::path its_directory;
  fs::path servers_directory;
};

TEST_F(RunnerTest, KilledLeavesNothing) {
  start("plain");
  everything_is_there();
  runner->kill();
  nothing_is_left();
}

TEST_F(RunnerTest, KilledWhileStoppedLeavesNothing) {
  start("plain");
  runner->freeze();
  everything_is_there();
  runner->kill();
  nothing_is_left();
}

class InterruptedRunnerTest : public RunnerTest, public testing::WithParamInterface<int> {};

TEST_P(InterruptedRunnerTest, DiesOfTheSignalAndLeavesNothing) {
  std::signal(GetParam(), SIG_DFL);  // whatever these tests are run under
  start("interruptible");
  everything_is_there();
  ::kill(runner->id(), GetParam());
  const auto end = runner->ending(test_limit);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->by_signal);
  EXPECT_EQ(end->number, GetParam());
  // Not eventually: it waits for that before it dies.
  EXPECT_TRUE(is_gone(stopped));
  EXPECT_FALSE(fs::exists(its_directory));
  nothing_is_left();
}

TEST_F(RunnerTest, GoesOnAtASignalThatItWasToIgnore) {
  std::signal(SIGTERM, SIG_DFL);
  start("/bin/sh", {"sh", "-c", "trap '' HUP; exec " LAB_RUNNER_FIXTURE " interruptible"});
  ::kill(runner->id(), SIGHUP);
  ::kill(runner->id(), SIGTERM);  // which would come second
  const auto end = runner->ending(test_limit);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->text(), "was killed by signal 15 (Terminated)");
  nothing_is_left();
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptedRunnerTest, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(KitTest, AReaperEndsTheChildrenOfAProcess) {
  Reaper other;
  Process child(shell("cat <&0 & echo $!; wait"), other);
  const pid_t grandchild = std::stoi(line_from(child));
  other.finish();
  EXPECT_TRUE(eventually([&] { return is_gone(grandchild); }));
}

TEST_F(KitTest, FinishEndsWhatIsRegisteredOnly) {
  const auto kept = directory.path() / "kept";
  const auto removed = directory.path() / "removed";
  Reaper other;
  Process child(shell("exec cat"), other);
  other.make_directory(kept);
  other.make_directory(removed);
  other.remove(kept);
  other.finish();
  EXPECT_EQ(child.ending(test_limit).value().text(), "was killed by signal 9 (Killed)");
  EXPECT_TRUE(fs::exists(kept));
  EXPECT_FALSE(fs::exists(removed));
}

TEST_F(KitTest, AReaperLetsItsProgramHaveManyDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = std::min<rlim_t>(256, before.rlim_max), .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const Reaper other;
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, std::min<rlim_t>(before.rlim_max, 1U << 16U));
  setrlimit(RLIMIT_NOFILE, &before);
}

class TempDirTest : public KitTest {};

TEST_F(TempDirTest, IsPrivateAndGoneWithItsOwner) {
  fs::path path;
  {
    const TempDir temporary(reaper);
    path = temporary.path();
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
    std::ofstream(path / "file") << "text";
  }
  EXPECT_FALSE(fs::exists(path));
}

// TMPDIR for as long as it is in scope; nullptr: none.
class TmpdirSetTo {
 public:
  explicit TmpdirSetTo(const char* value) {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    set(value);
  }
  ~TmpdirSetTo() { set(before_ ? before_->c_str() : nullptr); }
  TmpdirSetTo(const TmpdirSetTo&) = delete;
  TmpdirSetTo& operator=(const TmpdirSetTo&) = delete;

 private:
  static void set(const char* value) {
    value == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", value, 1);
  }
  std::optional<std::string> before_;
};

TEST_F(TempDirTest, NamesATmpdirThatIsNone) {
  const TmpdirSetTo nowhere("/no/such/directory");
  EXPECT_THAT(said_by<CannotRun>([&] { const TempDir temporary(reaper); }),
              HasSubstr("TMPDIR is \"/no/such/directory\", which is not a directory"));
}

TEST_F(TempDirTest, TakesAnEmptyTmpdirForNone) {
  const TmpdirSetTo empty("");
  EXPECT_TRUE(fs::exists(TempDir(reaper).path()));
}

TEST_F(TempDirTest, LivesInTmpdirOrElseInMemory) {
  const TempDir place(reaper);
  {
    const TmpdirSetTo chosen(place.path().c_str());
    EXPECT_EQ(TempDir(reaper).path().parent_path(), place.path());
  }
  const TmpdirSetTo none(nullptr);
  // Far more than is asked for, since other tests use it meanwhile.
  struct statvfs memory {};
  const bool plenty = statvfs("/dev/shm", &memory) == 0 && (memory.f_flag & ST_NOEXEC) == 0 &&
                      memory.f_bavail * memory.f_frsize > 2048ULL << 20U;
  const auto parent = TempDir(reaper).path().parent_path();
  EXPECT_TRUE(parent == "/dev/shm" || (!plenty && parent == fs::temp_directory_path())) << parent;
}

}  // namespace
}  // namespace faults
