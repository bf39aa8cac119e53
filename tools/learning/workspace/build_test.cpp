// A workspace is built from its own files, wherever it stands.
#include "tools/learning/workspace/build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "faults/kit/reaper.h"
#include "faults/kit/temp_dir.h"
#include "tools/learning/workspace/exercise.h"

namespace learning {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A lock of one line, which tells by the compiler's message that it was looked at.
void write_lock(const fs::path& workspace, const std::string& message) {
  std::ofstream(workspace / "lock.cpp") << "#error " << message << "\n";
  std::ofstream(workspace / "client.cpp") << "\n";
}

TEST(Build, IsOfTheFilesHereAfterTheFolderWasCopied) {
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  const auto there = directory.path() / "there";
  const auto here = directory.path() / "here";
  fs::create_directories(there);
  fs::create_directories(there / "exercise1");
  write_lock(there / "exercise1", "over there");
  EXPECT_THAT(build(exercise_named("1"), there / "exercise1", there / "made/exercise1").error,
              HasSubstr("over there"));
  fs::copy(there, here, fs::copy_options::recursive);
  write_lock(here / "exercise1", "right here");
  EXPECT_THAT(build(exercise_named("1"), here / "exercise1", here / "made/exercise1").error,
              HasSubstr("right here"));
}

// As one that is moved back from where an earlier attempt was put.
TEST(Build, IsOfAFileThatCameBackWithItsDate) {
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  const auto here = directory.path() / "exercise1";
  const auto made = directory.path() / "made";
  const auto earlier = directory.path() / "lock.cpp";
  fs::create_directories(here);
  std::ofstream(here / "lock.cpp") << "int main() {}\n";
  std::ofstream(earlier) << "#error of before\n";
  fs::last_write_time(earlier, fs::last_write_time(here / "lock.cpp") - std::chrono::hours(1));
  ASSERT_TRUE(build(exercise_named("1"), here, made).succeeded());
  fs::rename(earlier, here / "lock.cpp");
  EXPECT_THAT(build(exercise_named("1"), here, made).error, HasSubstr("of before"));
}

}  // namespace
}  // namespace learning
