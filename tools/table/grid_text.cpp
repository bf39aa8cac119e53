#include "tools/table/grid_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "tools/table/cell_text.h"
#include "tools/terminal/text.h"

namespace table {
namespace {

using faults::Paint;
using faults::Verdict;
using terminal::padded;

std::string painted(const Cell& cell, const std::string& text, const Paint& paint) {
  if (!cell.result) return paint.dim(text);
  switch (cell.result->verdict()) {
    case Verdict::holds: return paint.green(text);
    case Verdict::violated: return paint.red(text);
    default: return paint.yellow(text);
  }
}

constexpr std::size_t name_width = 23;
constexpr std::size_t cell_width = 14;

bool holds(const Cell& cell) {
  return cell.result && cell.result->verdict() == faults::Verdict::holds;
}

// The scenarios that are red on the stage of column `from` and green on that of `to`.
std::vector<std::string> fixed(const Grid& grid, std::size_t from, std::size_t to) {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < grid.scenarios.size(); ++row) {
    const auto& before = grid.at(row, from);
    const bool was_red = before.result && before.result->verdict() == faults::Verdict::violated;
    if (was_red && holds(grid.at(row, to))) names.push_back(grid.scenarios[row].name);
  }
  return names;
}

}  // namespace

std::size_t text_width(const Grid& grid) {
  return name_width + grid.stages.size() * cell_width;
}

std::size_t rows_to_redraw(const Grid& grid) {
  const auto lines = 1 + grid.scenarios.size();
  return lines + 1;
}

std::string as_text(const Grid& grid, const Paint& paint, const terminal::Language& language) {
  std::string text = std::string(name_width, ' ');
  for (const auto& stage : grid.stages) {
    auto name = stage.name.substr(5);  // without "stage", to fit eight of them
    name.replace(name.find('_'), 1, " ");
    text += padded(name.substr(0, cell_width - 1), cell_width);
  }
  text = paint.bold(text) + "\n";
  for (std::size_t row = 0; row < grid.scenarios.size(); ++row) {
    text += padded(grid.scenarios[row].name, name_width);
    for (std::size_t column = 0; column < grid.stages.size(); ++column) {
      const auto& cell = grid.at(row, column);
      text += painted(cell, padded(language(cell_text(cell)), cell_width), paint);
    }
    text += "\n";
  }
  return text;
}

std::string what_changes(const Grid& grid) {
  const auto& newer = grid.stages.back();
  const auto fixes = fixed(grid, 0, 1);
  auto text = fmt::format("{} ({}) ", newer.name, newer.adds);
  text += fixes.empty() ? "fixes none of them" : fmt::format("fixes {}", fmt::join(fixes, ", "));
  const auto breaks = fixed(grid, 1, 0);
  if (!breaks.empty()) text += fmt::format(", and breaks {}", fmt::join(breaks, ", "));
  return text;
}

}  // namespace table
