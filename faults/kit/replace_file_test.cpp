#include "faults/kit/replace_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "faults/kit/reaper.h"
#include "faults/kit/temp_dir.h"

namespace faults {
namespace {

namespace fs = std::filesystem;

class ReplaceFile : public testing::Test {
 protected:
  [[nodiscard]] const fs::path& directory() const { return directory_.path(); }
  [[nodiscard]] std::string text_of(const fs::path& file) const {
    std::ifstream input(file);
    return {std::istreambuf_iterator<char>(input), {}};
  }
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(directory()), fs::directory_iterator());
  }

 private:
  Reaper reaper_;
  TempDir directory_{reaper_};
};

TEST_F(ReplaceFile, PutsTheWholeTextInItsPlace) {
  const auto file = directory() / "file";
  ASSERT_TRUE(replace_file(file, "what was there before, which is longer"));
  ASSERT_TRUE(replace_file(file, "what is there now"));
  EXPECT_EQ(text_of(file), "what is there now");
  EXPECT_EQ(entries(), 1);
}

TEST_F(ReplaceFile, LeavesWhatItCannotReplaceAsItWas) {
  const auto file = directory() / "file";
  fs::create_directories(file / "full");
  EXPECT_FALSE(replace_file(file, "text"));
  EXPECT_TRUE(fs::exists(file / "full"));
  EXPECT_EQ(entries(), 1);
  EXPECT_FALSE(replace_file(directory() / "no such directory" / "file", "text"));
}

}  // namespace
}  // namespace faults
