// `lab table`: every stage against every scenario, many cells at once.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "faults/explore/virtual_time/one_cpu.h"
#include "faults/running/result_json.h"
#include "tools/app/commands.h"
#include "tools/app/virtual_cell.h"
#include "tools/table/cell_text.h"
#include "tools/table/differences.h"
#include "tools/table/fill.h"
#include "tools/table/grid.h"
#include "tools/table/grid_text.h"
#include "tools/table/markdown.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/text.h"

namespace app {
namespace {

constexpr const char* table_examples =
    "Examples:\n"
    "  ./lab table                                takes about a minute\n"
    "  ./lab table --jobs 2                       with less going on at once\n"
    "  ./lab table --time virtual                 no cell depends on how busy this machine is\n"
    "  ./lab table --redis valkey-9.1             on another server: ./lab servers shows them\n"
    "  ./lab table --json > table.json\n"
    "\n"
    "Exit codes: 0 all is as declared, 1 a cell is not, 2 could not run.";

struct Choice {
  bool markdown = false;
  int jobs = 0;  // how many cells at once; 0: the usual number
  std::string time = "real";

  [[nodiscard]] bool in_virtual_time() const { return time == "virtual"; }
};

std::string legend_for_terminal(const terminal::Language& language) {
  constexpr std::size_t in_a_line = 3;
  const auto meanings = table::legend();
  std::string text;
  for (std::size_t i = 0; i < meanings.size(); ++i) {
    const bool ends = i % in_a_line == in_a_line - 1 || i + 1 == meanings.size();
    text += language(meanings[i]) + (ends ? "\n" : "   ");
  }
  return text;
}

// Draws the grid again over itself, on a terminal.
class Picture {
 public:
  Picture(const table::Grid& grid, const terminal::Options& options)
      : grid_(grid), options_(options) {}

  // One that does not fit could not be drawn over. The progress is below it.
  [[nodiscard]] bool fits(const terminal::TerminalSize& size) const {
    return size.rows >= table::rows_to_redraw(grid_) && size.columns >= table::text_width(grid_);
  }

  void draw() {
    const auto lines = table::rows_to_redraw(grid_) - 1;
    if (drawn_) std::cout << fmt::format("\x1b[{}F", lines);
    std::cout << table::as_text(grid_, options_.paint, options_.language) << std::flush;
    drawn_ = true;
  }

 private:
  const table::Grid& grid_;
  const terminal::Options& options_;
  bool drawn_ = false;
};

void say_if_too_narrow(const terminal::TerminalSize& size, const table::Grid& grid,
                       const terminal::Language& language) {
  const auto wanted = table::text_width(grid);
  if (size.columns >= wanted) return;
  std::cout
      << terminal::wrapped(language(fmt::format(
             "This table is {} columns wide, and the terminal {}. Make it wider, or see one stage: "
             "./lab run 3",
             wanted, size.columns)))
      << '\n';
}

nlohmann::json grid_as_json(const table::Grid& grid) {
  auto cells = nlohmann::json::array();
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const auto& cell = grid.cells[i];
    if (cell.result) {
      cells.push_back(faults::as_json(*cell.result, cell.difference));
    } else {
      cells.push_back({{"stage", grid.stage_of(i).name},
                       {"scenario", grid.scenario_of(i).name},
                       {"does_not_apply", cell.does_not_apply}});
    }
  }
  return {{"as_declared", grid.as_declared()}, {"cells", cells}};
}

void fill(table::Grid& grid, const terminal::Options& options, const Choice& choice,
          faults::Reaper& reaper, const std::function<void()>& changed) {
  const auto plan = table::table_plan(options, reaper);
  if (!choice.in_virtual_time()) {
    return table::fill_showing_progress(grid, options.language, plan, choice.jobs, reaper, changed);
  }
  // Each takes one CPU: its processes take turns, and none of them waits for time.
  const auto jobs = choice.jobs > 0 ? choice.jobs : explore::OneCpu::count();
  table::fill_showing_progress(grid, options.language, plan, jobs, reaper, changed,
                               run_cell_in_virtual_time);
}

int run_table(const terminal::Options& options, const Choice& choice, faults::Reaper& reaper) {
  auto grid = table::empty_grid();
  const bool for_people = !options.json && !choice.markdown;
  Picture picture(grid, options);
  const auto size = terminal::terminal_size();
  const bool live = for_people && size && !terminal::terminal_is_dumb() && picture.fits(*size);
  if (for_people && size) say_if_too_narrow(*size, grid, options.language);
  if (live) picture.draw();
  fill(grid, options, choice, reaper, [&] {
    if (live) picture.draw();
  });
  if (options.json) {
    std::cout << grid_as_json(grid).dump(2) << '\n';
  } else if (choice.markdown) {
    std::cout << table::as_markdown(grid);
  } else if (!live) {
    std::cout << table::as_text(grid, options.paint, options.language);
  }
  if (for_people) {
    std::cout << '\n' << legend_for_terminal(options.language);
    table::show_differences(grid, options);
    if (grid.as_declared()) std::cout << options.language("all as declared\n");
  }
  return grid.as_declared() ? terminal::exit_holds : terminal::exit_violated;
}

}  // namespace

Command table_command(CLI::App& lab, Shared& shared) {
  const auto choice = std::make_shared<Choice>();
  auto* line = lab.add_subcommand("table", "every stage against every scenario");
  line->footer(table_examples);
  add_json_flag(*line, shared);
  line->add_flag("--markdown", choice->markdown, "as a table in Markdown");
  add_time_option(*line, choice->time);
  line->add_option("--jobs", choice->jobs, "how many cells at once")->check(CLI::Range(1, 256));
  return {.line = line, .question = {}, .run = [choice, &shared] {
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return run_table(shared.options, *choice, reaper);
            });
          }};
}

}  // namespace app
