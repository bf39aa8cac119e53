// The agendas of the trainer's guide add up, breaks included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "tools/book/documents.h"

namespace book {
namespace {

constexpr std::size_t agendas = 3;
using Minutes = std::array<int, agendas>;

// The last cells of a table's row; "–" is nothing, and "**" around a number does not count.
Minutes minutes_in(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream text(row);
  for (std::string cell; std::getline(text, cell, '|');) cells.push_back(cell);
  Minutes minutes{};
  for (std::size_t i = 0; i < agendas; ++i) {
    const auto& cell = cells.at(cells.size() - agendas + i);
    const auto digit = cell.find_first_of("0123456789");
    if (digit != std::string::npos) minutes.at(i) = std::stoi(cell.substr(digit));
  }
  return minutes;
}

// The rows below the heading of a guide's agenda, the sums last.
std::vector<Minutes> agenda(const std::string& page = "trainers-guide.md",
                            const std::string& name = "agenda") {
  const auto guide = read_file(std::filesystem::path(LAB_SOURCE_DIR) / "docs" / page);
  const auto begin = guide.find("<!-- " + name + " -->\n");
  if (begin == std::string::npos) return {};
  std::istringstream lines(guide.substr(begin, guide.find("<!-- end -->", begin) - begin));
  std::vector<Minutes> rows;
  std::string line;
  for (int number = 0; std::getline(lines, line); ++number) {
    if (number > 2) rows.push_back(minutes_in(line));
  }
  return rows;
}

TEST(Agenda, AddsUp) {
  auto rows = agenda();
  ASSERT_THAT(rows, testing::SizeIs(testing::Gt(10U)));
  const auto together = rows.back();
  rows.pop_back();
  Minutes sums{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < agendas; ++i) sums.at(i) += row.at(i);
  }
  EXPECT_EQ(sums, together);
  EXPECT_EQ(together, (Minutes{3 * 60, 4 * 60, 7 * 60})) << "as the heading says";
}

TEST(Agenda, IsTheSameInChinese) {
  EXPECT_EQ(agenda("zh/trainers-guide.md", "日程"), agenda());
}

}  // namespace
}  // namespace book
