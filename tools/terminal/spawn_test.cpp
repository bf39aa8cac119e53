#include "tools/terminal/spawn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace terminal {
namespace {

TEST(Spawn, DeliversSignalsThatWeBlockOrIgnore) {
  sigset_t blocked{};
  sigset_t before{};
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto ignored = std::signal(SIGINT, SIG_IGN);
  for (const auto& [name, number] : {std::pair{"TERM", SIGTERM}, std::pair{"INT", SIGINT}}) {
    const auto child = spawn({"sh", "-c", std::string("kill -") + name + " $$"}, {});
    ASSERT_GT(child, 0);
    const int status = await_end(child);
    EXPECT_TRUE(WIFSIGNALED(status)) << name;
    EXPECT_EQ(WTERMSIG(status), number);
  }
  std::signal(SIGINT, ignored);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Spawn, ReturnsMinusOneWithoutAProgram) {
  EXPECT_EQ(spawn({"no-such-program-anywhere"}, {}), -1);
}

}  // namespace
}  // namespace terminal
