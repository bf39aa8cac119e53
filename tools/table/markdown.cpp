#include "tools/table/markdown.h"

#include <fmt/format.h>

#include <functional>

#include "tools/table/cell_text.h"

namespace table {
namespace {

std::string as_markdown(const Grid& grid, const std::string& root,
                        const std::function<std::string(std::size_t, std::size_t)>& text_at,
                        const terminal::Language& language = {}) {
  const auto* page = language.catalogue().empty() ? "" : "README.zh.md";
  std::string text = fmt::format("| {} |", language("scenario"));
  std::string line = "|---|";
  for (const auto& stage : grid.stages) {
    text += fmt::format(" [{0}]({1}{0}/{2}) |", stage.name, root, page);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (std::size_t row = 0; row < grid.scenarios.size(); ++row) {
    text += fmt::format("| `{}` |", grid.scenarios[row].name);
    for (std::size_t column = 0; column < grid.stages.size(); ++column) {
      text += fmt::format(" {} |", language(text_at(row, column)));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string as_markdown(const Grid& grid, const std::string& root) {
  return as_markdown(grid, root, [&](std::size_t row, std::size_t column) {
    return cell_text(grid.at(row, column));
  });
}

std::string declared_as_markdown(const Grid& grid, const std::string& root,
                                 const terminal::Language& language) {
  const auto text_at = [&](std::size_t row, std::size_t column) {
    return declared_text(grid.stages[column], grid.scenarios[row].name);
  };
  return as_markdown(grid, root, text_at, language);
}

}  // namespace table
