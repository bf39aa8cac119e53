#include "tools/table/differences.h"

#include <iostream>

#include "faults/kit/shell_word.h"

namespace table {

using faults::Verdict;

void show_differences(const Grid& grid, const terminal::Options& options) {
  const auto& paint = options.paint;
  const auto& language = options.language;
  for (const auto& cell : grid.cells) {
    if (cell.difference.empty()) continue;
    const auto& result = *cell.result;
    const bool is_shown =
        result.verdict() == Verdict::holds || result.verdict() == Verdict::violated;
    std::cout << (is_shown ? paint.red(language("not as declared"))
                           : paint.yellow(language("nothing was shown")))
              << ": " << result.stage << " " << result.scenario << ": " << language(cell.difference)
              << "\n    "
              << (is_shown ? "./lab judge " + faults::shell_word(result.directory.native())
                           : result.again)
              << '\n';
  }
}

}  // namespace table
