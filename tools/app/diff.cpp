// `lab diff`: the difference between two stages' locks.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "tools/app/commands.h"
#include "tools/table/lock_files.h"
#include "tools/table/stages.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/pager.h"
#include "tools/terminal/unified_diff.h"

namespace app {
namespace {

constexpr const char* diff_examples =
    "Examples:\n"
    "  ./lab diff 3 4                             what stage 4 changes\n"
    "  PAGER= ./lab diff 3 4                      straight to the terminal, without a pager";

int show_diff(const terminal::Options& options, const std::string& from_name,
              const std::string& to_name) {
  const auto from = table::stage_named(from_name);
  const auto to = table::stage_named(to_name);
  const bool goes_back = to.name < from.name;
  const auto changed = options.language(goes_back ? "without " + from.adds : to.adds);
  auto text = options.paint.bold(fmt::format("{} → {}: {}", from.name, to.name, changed)) + "\n\n";
  std::string differences;
  for (const auto& file : table::lock_files(from, to)) {
    differences += terminal::difference(file.from, file.to, options.paint.on);
  }
  text += differences.empty() ? options.language("no difference\n") : differences;
  terminal::show_paged(text);
  return terminal::exit_holds;
}

}  // namespace

Command diff_command(CLI::App& lab, const Shared& shared) {
  struct Chosen {
    std::string from;
    std::string to;
  };
  const auto chosen = std::make_shared<Chosen>();
  auto* line = lab.add_subcommand("diff", "the lesson: the difference between two stages' locks");
  line->footer(diff_examples);
  line->add_option("from", chosen->from, "such as 3")->required();
  line->add_option("to", chosen->to, "such as 4")->required();
  return {.line = line,
          .question = "which two stages? such as ./lab diff 3 4",
          .run = [chosen, &shared] { return show_diff(shared.options, chosen->from, chosen->to); }};
}

}  // namespace app
