#include "faults/explore/search/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace explore {
namespace {

using testing::HasSubstr;
using testing::Not;

Run run_of(std::vector<std::string> labels) {
  Run made;
  for (std::size_t i = 0; i < labels.size(); ++i) made.ends.push_back(i + 1);
  made.labels = std::move(labels);
  return made;
}

TEST(SideBySide, MarksTheFirstDifference) {
  const auto text =
      describe_side_by_side(run_of({"A: begin", "A: send GET", "A: freeze", "B: begin"}),
                            run_of({"A: begin", "A: send GET", "A: send DEL"}), {});
  EXPECT_THAT(text, HasSubstr("the first difference, step 3:"));
  EXPECT_THAT(text, HasSubstr("    1  A: begin      A: begin\n"
                              "    2  A: send GET   A: send GET\n"
                              "    3▶ A: freeze     A: send DEL\n"
                              "    4  B: begin\n"));
}

TEST(SideBySide, AlignsLabelsInChinese) {
  const auto text = describe_side_by_side(
      run_of({"A: begin", "A: freeze"}), run_of({"A: begin", "A: thaw"}), {},
      [](const auto& label) { return label == "A: begin" ? "甲客户端已经开始" : "甲"; });
  EXPECT_THAT(text, HasSubstr("    1  甲客户端已经开始   甲客户端已经开始\n"
                              "    2▶ 甲                 甲\n"));
}

TEST(SideBySide, LeavesOutWhatIsLongTheSame) {
  const auto text = describe_side_by_side(run_of({"a", "b", "c", "d", "e", "f"}),
                                          run_of({"a", "b", "c", "d", "e", "g", "h"}), {});
  EXPECT_THAT(text, HasSubstr("(steps 1 to 2 are the same)\n    3  c"));
  EXPECT_THAT(text, HasSubstr("6▶ f"));
  EXPECT_THAT(text, HasSubstr("    7               h"));
  EXPECT_THAT(text, Not(HasSubstr("    2  b")));
}

}  // namespace
}  // namespace explore
