// Differences between files, as diff(1) writes them.
#include "tools/terminal/unified_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "faults/kit/errors.h"
#include "faults/kit/reaper.h"
#include "faults/kit/temp_dir.h"

namespace terminal {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class Difference : public testing::Test {
 protected:
  [[nodiscard]] LabelledFile file(const std::string& name, const std::string& text) const {
    const auto path = directory_.path() / name;
    std::ofstream(path) << text;
    return {.label = "the " + name, .file = path};
  }
  [[nodiscard]] LabelledFile absent() const {
    return {.label = "none", .file = directory_.path() / "absent"};
  }

 private:
  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
};

TEST_F(Difference, HasTheLabelsAndTheLines) {
  EXPECT_EQ(difference(file("old", "one\n"), file("new", "two\n")),
            "--- the old\n+++ the new\n@@ -1 +1 @@\n-one\n+two\n");
  EXPECT_EQ(difference(file("old", "one\n"), file("new", "one\n")), "");
}

TEST_F(Difference, TakesAnAbsentFileForAnEmptyOne) {
  EXPECT_THAT(difference(absent(), file("new", "two\n")), HasSubstr("@@ -0,0 +1 @@\n+two\n"));
}

TEST_F(Difference, IsWholeIfItIsLong) {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += "a line of a long file\n";
  const auto text = difference(absent(), file("new", lines + "the last\n"));
  EXPECT_GT(text.size(), lines.size());
  EXPECT_THAT(text, EndsWith("+the last\n"));
}

TEST_F(Difference, CannotRunIfDiffFails) {
  const LabelledFile endless{.label = "a link to itself",
                             .file = absent().file.parent_path() / "x"};
  std::filesystem::create_directory(endless.file);
  EXPECT_THROW((void)difference(endless, {.label = "none", .file = endless.file / "absent"}),
               faults::CannotRun);
}

}  // namespace
}  // namespace terminal
