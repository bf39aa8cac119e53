// A working copy is built from its own files, wherever it stands.
#include "learning/build.h"

#include <gtest/gtest.h>

#include <fstream>

#include "faults/parts/reaper.h"
#include "faults/parts/temp_dir.h"
#include "learning/exercise.h"

namespace learning {
namespace {

namespace fs = std::filesystem;

TEST(Build, IsOfTheFilesHereAfterTheFolderWasCopied) {
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  const auto there = directory.path() / "there";
  const auto here = directory.path() / "here";
  fs::create_directories(there);
  fs::copy(exercise_named("1").solution(), there / "exercise1");
  const auto built = build(there / "exercise1", there / "made/exercise1");
  ASSERT_TRUE(built.succeeded()) << built.error;
  fs::copy(there, here, fs::copy_options::recursive);
  std::ofstream(here / "exercise1/lock.cpp", std::ios::app) << "no C++\n";
  EXPECT_FALSE(build(here / "exercise1", here / "made/exercise1").succeeded());
}

}  // namespace
}  // namespace learning
