#include "tools/terminal/run_program.h"

#include <gtest/gtest.h>

#include "faults/kit/errors.h"

namespace terminal {
namespace {

int run_in_chinese(const std::string& script) {
  return run_program({"/bin/sh", "-c", script}, Language::named("zh"));
}

TEST(RunProgram, ShowsItsLinesInTheLanguage) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_in_chinese("echo holds; printf violated; echo 'nothing happened' >&2");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "守住了\n被破坏");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "什么也没发生\n");
  EXPECT_EQ(code, 0);
}

TEST(RunProgram, EndsAsTheProgramDoes) {
  EXPECT_EQ(run_in_chinese("exit 3"), 3);
  EXPECT_EQ(run_in_chinese("kill -TERM $$"), 143);
}

TEST(RunProgram, SaysThatItCannotBeStarted) {
  EXPECT_THROW(run_program({"/nowhere/program"}, Language::named("zh")), faults::CannotRun);
  EXPECT_THROW(run_program({"/nowhere/program"}, Language()), faults::CannotRun);
}

}  // namespace
}  // namespace terminal
