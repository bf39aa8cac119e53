#include "tools/app/background_build.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "faults/kit/errors.h"
#include "faults/testing/called_program.h"

namespace app {
namespace {

class BuildBehind : public testing::Test {
 protected:
  BuildBehind() {
    playground.write_script("bin/echo_nothing", "");
    std::ofstream(playground.path("log")) << "[3/7] Building CXX object\n";
    setenv("LAB_BUILD_LOG", playground.path("log").c_str(), 1);
    builds(getpid());
  }
  ~BuildBehind() override { unsetenv("LAB_BUILD_BEHIND"); }

  static void builds(pid_t process) {
    setenv("LAB_BUILD_BEHIND", std::to_string(process).c_str(), 1);
  }

  faults::Playground playground;
};

TEST_F(BuildBehind, IsNotAwaitedForWhatIsThere) {
  wait_until_built(playground.path("bin/echo_nothing"));
}

TEST_F(BuildBehind, IsNotAwaitedWhereThereIsNone) {
  unsetenv("LAB_BUILD_BEHIND");
  wait_until_built(playground.path("absent"));
}

// Its log is a pipe: to be opened for writing it has to be read by what waits.
TEST_F(BuildBehind, IsAwaitedUntilTheProgramIsComplete) {
  const auto program = playground.path("bin/client");
  const auto log = playground.path("pipe");
  std::ofstream(program) << "half of it";
  ASSERT_EQ(mkfifo(log.c_str(), 0600), 0);
  setenv("LAB_BUILD_LOG", log.c_str(), 1);
  const std::jthread linker([&] {
    const std::ofstream awaited(log);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  });
  wait_until_built(program);
  EXPECT_EQ(access(program.c_str(), X_OK), 0);
  close(open(log.c_str(), O_RDONLY | O_NONBLOCK));  // lets the linker end if none waited
}

TEST_F(BuildBehind, ThatHasEndedWithoutTheProgramCannotRun) {
  builds(1 << 22);  // above every process id
  try {
    wait_until_built(playground.path("absent"));
    FAIL() << "it was there";
  } catch (const faults::CannotRun& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("could not build absent"));
  }
}

TEST_F(BuildBehind, ThatFailsUnderUsCannotRun) {
  const auto build = fork();
  if (build == 0) _exit(1);
  builds(build);
  EXPECT_THROW(wait_until_built(playground.path("absent")), faults::CannotRun);
  waitpid(build, nullptr, 0);
}

}  // namespace
}  // namespace app
