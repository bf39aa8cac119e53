// `./lab table` on terminals of several sizes. It is interrupted: other tests check its results.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "faults/testing/called_program.h"
#include "tools/table/grid.h"

namespace app {
namespace {

using faults::Playground;
using faults::Terminal;
using testing::HasSubstr;
using testing::Not;

class TableOnATerminal : public testing::Test {
 protected:
  void SetUp() override {
    if (!Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  }

  // Everything shown on a terminal of that size, up to `text` and Ctrl-C.
  std::string shown_until(const std::string& text, std::size_t rows, std::size_t columns,
                          const std::string& language = "en") {
    Terminal terminal(
        playground_,
        fmt::format("stty rows {} columns {}; '{}' table --jobs 2 --runs '{}' --lang {}", rows,
                    columns, LAB_PROGRAM, playground_.path("runs").native(), language));
    terminal.await(text);
    terminal.press("\x03");
    return terminal.await_end();
  }

  const table::Grid grid_ = table::empty_grid();
  const std::size_t height_ = grid_.scenarios.size() + 1;
  const std::size_t width_ = 23 + grid_.stages.size() * 14;
  // Its progress names the number of cells that are run.
  const std::string progress_ = fmt::format(
      " of {} cells",
      std::count_if(grid_.cells.begin(), grid_.cells.end(),
                    [](const table::Cell& cell) { return cell.does_not_apply.empty(); }));

 private:
  Playground playground_;
};

TEST_F(TableOnATerminal, IsRedrawnFromTheFirstColumn) {
  const auto again = fmt::format("\x1b[{}F", height_);
  EXPECT_THAT(shown_until(again, height_ + 1, width_), HasSubstr("killed_holder"));
}

TEST_F(TableOnATerminal, IsInterruptedInChinese) {
  EXPECT_THAT(shown_until("killed_holder", height_ + 1, width_, "zh"), HasSubstr("\n被打断："));
}

TEST_F(TableOnATerminal, IsDrawnOnlyOnceIfItDoesNotFit) {
  EXPECT_THAT(shown_until(progress_, height_, width_), Not(HasSubstr("killed_holder")));
  EXPECT_THAT(shown_until(progress_, height_ + 1, width_ - 1), Not(HasSubstr("killed_holder")));
}

}  // namespace
}  // namespace app
