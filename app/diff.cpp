// `lab diff`: the difference between two stages' locks.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/commands.h"
#include "table/lock_files.h"
#include "table/options.h"
#include "table/results.h"
#include "table/stages.h"
#include "terminal/pager.h"
#include "terminal/unified_diff.h"

namespace app {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  ./lab diff 3 4                             what stage 4 changes\n"
    "  PAGER= ./lab diff 3 4                      straight to the terminal, without a pager";

int show_diff(const table::Options& options, const std::string& from_name,
              const std::string& to_name) {
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

}  // namespace

Command diff_command(CLI::App& lab, const Shared& shared) {
  struct Chosen {
    std::string from;
    std::string to;
  };
  const auto chosen = std::make_shared<Chosen>();
  auto* line = lab.add_subcommand("diff", "the lesson: the difference between two stages' locks");
  line->footer(examples);
  line->add_option("from", chosen->from, "such as 3")->required();
  line->add_option("to", chosen->to, "such as 4")->required();
  return {.line = line,
          .question = "which two stages? such as ./lab diff 3 4",
          .run = [chosen, &shared] { return show_diff(shared.options, chosen->from, chosen->to); }};
}

}  // namespace app
