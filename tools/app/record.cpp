// `lab record`, for maintainers: keeps the histories of the red scenarios, and of the green ones
// that a lesson shows, and rewrites the documents that are made from them.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "faults/kit/errors.h"
#include "faults/running/run_scenario.h"
#include "tools/app/commands.h"
#include "tools/book/documents.h"
#include "tools/table/fill.h"
#include "tools/table/grid.h"
#include "tools/table/markdown.h"
#include "tools/table/stages.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr int cells_at_once = 4;

// Runs the whole table, keeps the history of every cell that is shown, rewrites the README's table.
void record_again(const terminal::Options& options, faults::Reaper& reaper) {
  auto grid = table::empty_grid();
  {
    const terminal::Progress progress("running every stage against every scenario");
    table::fill(grid, terminal::plan_for(options, reaper), cells_at_once, reaper, [] {});
  }
  for (const auto& cell : grid.cells) {
    if (!cell.difference.empty()) {
      throw faults::CannotRun(fmt::format("{} {} is not as declared: {}; nothing was rewritten",
                                          cell.result->stage, cell.result->scenario,
                                          cell.difference));
    }
  }
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const auto& stage = grid.stage_of(i);
    if (!grid.cells[i].result) continue;
    const auto& result = *grid.cells[i].result;
    const auto shown = book::shown_scenarios(stage);
    if (std::find(shown.begin(), shown.end(), result.scenario) == shown.end()) continue;
    const auto kept = book::recorded_history(stage, result.scenario);
    fs::create_directories(kept.parent_path());
    fs::copy_file(result.shown().history, kept, fs::copy_options::overwrite_existing);
  }
  const auto readme = fs::path(LAB_SOURCE_DIR) / "README.md";
  book::write_file(readme,
                   book::with_block(book::read_file(readme), "table", table::as_markdown(grid)));
}

int rewrite_documents(const terminal::Options& options, bool keep, faults::Reaper& reaper) {
  if (!keep) record_again(options, reaper);
  const auto stages = table::all_stages();
  for (const auto& stage : stages) {
    for (const auto& scenario : book::shown_scenarios(stage)) {
      book::write_file(book::golden_file(stage, scenario),
                       book::timeline_from_recorded(stage, scenario));
    }
  }
  for (const auto& document : book::up_to_date(stages, table::all_relatives())) {
    book::write_file(document.path, document.text);
    std::cout << "wrote " << document.path.native() << '\n';
  }
  return terminal::exit_holds;
}

}  // namespace

Command record_command(CLI::App& lab, const Shared& shared) {
  const auto keep = std::make_shared<bool>(false);
  auto* line = lab.add_subcommand("record", "")->group("");  // for maintainers
  line->add_flag("--keep", *keep, "only rewrite from the recorded histories");
  return {.line = line, .question = {}, .run = [keep, &shared] {
            return with_reaper([&](faults::Reaper& reaper) {
              return rewrite_documents(shared.options, *keep, reaper);
            });
          }};
}

}  // namespace app
