// The pictures in docs/pictures/ are what is made of the recorded runs, and nothing else is there.
// `./lab record --keep` rewrites them on purpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tools/pictures/all.h"
#include "tools/table/stages.h"

namespace {

namespace fs = std::filesystem;

fs::path directory_of_pictures() {
  return fs::path(LAB_SOURCE_DIR) / "docs" / "pictures";
}

TEST(Pictures, AreWhatTheRecordedRunsGive) {
  const auto pictures = pictures::all_pictures(table::all_stages());
  EXPECT_THAT(pictures, testing::SizeIs(testing::Gt(8U)));
  for (const auto& picture : pictures) {
    EXPECT_TRUE(fs::exists(picture.path)) << picture.path;
    EXPECT_TRUE(book::read_file(picture.path) == picture.text)
        << picture.path << " differs: ./lab record --keep";
  }
}

TEST(Pictures, AreAllMadeByTheLab) {
  std::vector<fs::path> made;
  for (const auto& picture : pictures::all_pictures(table::all_stages())) {
    made.push_back(picture.path);
  }
  std::vector<fs::path> there;
  for (const auto& entry : fs::directory_iterator(directory_of_pictures())) {
    if (entry.path().extension() == ".svg") there.push_back(entry.path());
  }
  EXPECT_THAT(there, testing::UnorderedElementsAreArray(made));
}

// GitHub shows no script, and loads nothing from elsewhere.
TEST(Pictures, NeedNothingElse) {
  for (const auto& picture : pictures::all_pictures(table::all_stages())) {
    EXPECT_THAT(picture.text, testing::Not(testing::HasSubstr("<script"))) << picture.path;
    EXPECT_THAT(picture.text, testing::Not(testing::HasSubstr("href"))) << picture.path;
    EXPECT_THAT(picture.text, testing::HasSubstr("prefers-color-scheme: dark")) << picture.path;
    EXPECT_LT(picture.text.size(), 200'000U) << picture.path;
  }
}

}  // namespace
