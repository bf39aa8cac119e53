// `lab diff`: the difference between two stages' locks.
#include <fmt/format.h>

#include <string>

#include "app/commands.h"
#include "table/lock_files.h"
#include "table/options.h"
#include "table/results.h"
#include "table/stages.h"
#include "terminal/pager.h"
#include "terminal/unified_diff.h"

namespace app {

int diff(const table::Options& options, const std::string& from_name, const std::string& to_name) {
  const auto from = table::stage_named(from_name);
  const auto to = table::stage_named(to_name);
  auto text = options.paint.bold(fmt::format("{} → {}: {}", from.name, to.name, to.adds)) + "\n\n";
  std::string differences;
  for (const auto& file : table::lock_files(from, to)) {
    differences += terminal::difference(file.from, file.to, options.paint.on);
  }
  text += differences.empty() ? "no difference\n" : differences;
  terminal::show_paged(text);
  return table::exit_holds;
}

}  // namespace app
