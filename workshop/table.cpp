// `lab table`: every stage against every scenario, many cells at once.
#include "workshop/table.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <mutex>

#include "faults/run.h"
#include "faults/side_by_side.h"
#include "workshop/commands.h"
#include "workshop/console.h"
#include "workshop/results.h"
#include "workshop/stages.h"

namespace workshop {
namespace {

using faults::Paint;
using faults::Property;
using faults::Verdict;

// One word for a cell; the sentence stands in the run.
std::string_view short_name(Property property) {
  switch (property) {
    case Property::mutual_exclusion: return "two inside";
    case Property::owner_only_release: return "not owner";
    case Property::liveness: return "stuck";
    case Property::truthful_outcomes: return "untrue";
    case Property::owner_only_renewal: return "not owner";
    case Property::holder_was_told: return "not told";
    case Property::bounded_renewal: return "too many";
    case Property::first_come: return "overtaken";
  }
  return "?";
}

constexpr auto not_run = "·";
constexpr auto does_not_apply = "–";
constexpr auto it_holds = "✓";
constexpr auto not_as_declared = "(!)";

std::string broken(Property property) {
  return fmt::format("✗ {}", short_name(property));
}

std::string declared_text(const faults::Stage& stage, const std::string& scenario) {
  const auto found = stage.declared.find(scenario);
  if (found == stage.declared.end()) return not_run;
  if (!found->second.does_not_apply.empty()) return does_not_apply;
  return found->second.broken.empty() ? it_holds : broken(found->second.broken.front());
}

std::string painted(const Cell& cell, const std::string& text, const Paint& paint) {
  if (!cell.result) return paint.dim(text);
  switch (cell.result->verdict()) {
    case Verdict::holds: return paint.green(text);
    case Verdict::violated: return paint.red(text);
    default: return paint.yellow(text);
  }
}

std::string padded(std::string text, std::size_t width) {
  std::size_t columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
  return columns < width ? text + std::string(width - columns, ' ') : text;
}

constexpr std::size_t name_width = 22;
constexpr std::size_t cell_width = 14;

std::string for_terminal(const Grid& grid, const Paint& paint) {
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
      text += painted(cell, padded(cell_text(cell), cell_width), paint);
    }
    text += "\n";
  }
  return text;
}

std::string legend_for_terminal() {
  constexpr std::size_t in_a_line = 3;
  const auto meanings = legend();
  std::string text;
  for (std::size_t i = 0; i < meanings.size(); ++i) {
    const bool ends = i % in_a_line == in_a_line - 1 || i + 1 == meanings.size();
    text += meanings[i] + (ends ? "\n" : "   ");
  }
  return text;
}

// Draws the grid again over itself, on a terminal.
class Picture {
 public:
  Picture(const Grid& grid, const Paint& paint) : grid_(grid), paint_(paint) {}

  // One that does not fit could not be drawn over. Below it stands how far it is.
  [[nodiscard]] bool fits(const TerminalSize& size) const {
    return size.rows > height() && size.columns >= name_width + grid_.stages.size() * cell_width;
  }

  void draw() {
    if (drawn_) std::cout << fmt::format("\x1b[{}F", height());
    std::cout << for_terminal(grid_, paint_) << std::flush;
    drawn_ = true;
  }

 private:
  [[nodiscard]] std::size_t height() const { return grid_.scenarios.size() + 1; }

  const Grid& grid_;
  const Paint paint_;
  bool drawn_ = false;
};

nlohmann::json grid_as_json(const Grid& grid) {
  auto cells = nlohmann::json::array();
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const auto& cell = grid.cells[i];
    if (cell.result) {
      cells.push_back(to_json(*cell.result, cell.difference));
    } else {
      cells.push_back({{"stage", grid.stages[i % grid.stages.size()].name},
                       {"scenario", grid.scenarios[i / grid.stages.size()].name},
                       {"does_not_apply", cell.does_not_apply}});
    }
  }
  return {{"as_declared", grid.as_declared()}, {"cells", cells}};
}

std::string as_markdown(const Grid& grid,
                        const std::function<std::string(std::size_t, std::size_t)>& text_at) {
  std::string text = "| scenario |";
  std::string line = "|---|";
  for (const auto& stage : grid.stages) {
    text += fmt::format(" [{0}]({0}/) |", stage.name);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (std::size_t row = 0; row < grid.scenarios.size(); ++row) {
    text += fmt::format("| `{}` |", grid.scenarios[row].name);
    for (std::size_t column = 0; column < grid.stages.size(); ++column) {
      text += fmt::format(" {} |", text_at(row, column));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

bool Grid::as_declared() const {
  return std::all_of(cells.begin(), cells.end(), [](const Cell& cell) {
    return (cell.result || !cell.does_not_apply.empty()) && cell.difference.empty();
  });
}

Grid empty_grid() {
  Grid grid{.stages = all_stages(), .scenarios = faults::all_scenarios(), .cells = {}};
  for (const auto& scenario : grid.scenarios) {
    for (const auto& stage : grid.stages) {
      const auto found = stage.declared.find(scenario.name);
      const bool known = found != stage.declared.end();
      grid.cells.push_back({.result = {},
                            .does_not_apply = known ? found->second.does_not_apply : "",
                            .difference = {}});
    }
  }
  return grid;
}

void fill(Grid& grid, const faults::RunPlan& plan, int jobs, faults::Reaper& reaper,
          const std::function<void()>& changed) {
  std::mutex mutex;
  faults::side_by_side(grid.cells.size(), jobs, [&](std::size_t i) {
    const auto& stage = grid.stages[i % grid.stages.size()];
    const auto& scenario = grid.scenarios[i / grid.stages.size()];
    if (!grid.cells[i].does_not_apply.empty()) return;
    auto result = faults::run(stage, scenario, plan, reaper);
    auto difference = faults::difference_from_declared(stage, result);
    const std::lock_guard guard(mutex);
    grid.cells[i].result = std::move(result);
    grid.cells[i].difference = std::move(difference);
    changed();
  });
}

void fill_showing_progress(Grid& grid, const faults::RunPlan& plan, int wanted,
                           faults::Reaper& reaper, const std::function<void()>& changed) {
  const auto all = std::count_if(grid.cells.begin(), grid.cells.end(),
                                 [](const Cell& cell) { return cell.does_not_apply.empty(); });
  std::size_t done = 0;
  Progress progress("filling the table");
  auto heard = plan;
  heard.say = [&progress](const std::string& sentence) { progress.say(sentence); };
  fill(grid, heard, jobs_for(wanted), reaper, [&] {
    progress.change(fmt::format("{} of {} cells", ++done, all));
    changed();
  });
}

int jobs_for(int wanted) {
  return wanted > 0 ? wanted : faults::usual_jobs();
}

faults::RunPlan table_plan(const Options& options, faults::Reaper& reaper) {
  auto plan = plan_for(options, reaper);
  const auto stamp = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  plan.runs /= fmt::format("{}-table-{}", stamp, getpid());
  return plan;
}

std::string cell_text(const Cell& cell) {
  if (!cell.result) return cell.does_not_apply.empty() ? not_run : does_not_apply;
  const auto& result = *cell.result;
  const auto verdict = result.verdict();
  std::string text = "? " + std::string(faults::to_string(verdict));
  if (verdict == Verdict::holds) text = it_holds;
  if (verdict == Verdict::violated) {
    text = broken(result.shown().judgement.findings.front().property);
  }
  return cell.difference.empty() ? text : fmt::format("{} {}", text, not_as_declared);
}

std::vector<std::string> legend() {
  return {fmt::format("{} holds", it_holds),
          broken(Property::mutual_exclusion) + ": a write was lost",
          broken(Property::liveness) + ": nobody gets in any more",
          broken(Property::holder_was_told) + ": the holder did not hear of its loss",
          fmt::format("{} does not apply", does_not_apply),
          fmt::format("{} not run", not_run),
          "? inconclusive, ? not exercised: nothing was shown, run it again",
          std::string(not_as_declared) + " not as declared"};
}

void show_differences(const Grid& grid, const faults::Paint& paint) {
  for (const auto& cell : grid.cells) {
    if (cell.difference.empty()) continue;
    const auto& result = *cell.result;
    const bool is_shown =
        result.verdict() == Verdict::holds || result.verdict() == Verdict::violated;
    std::cout << (is_shown ? paint.red("not as declared") : paint.yellow("nothing was shown"))
              << ": " << result.stage << " " << result.scenario << ": " << cell.difference
              << "\n    " << (is_shown ? "./lab judge " + result.directory.native() : result.again)
              << '\n';
  }
}

std::string as_markdown(const Grid& grid) {
  return as_markdown(
      grid, [&](std::size_t row, std::size_t column) { return cell_text(grid.at(row, column)); });
}

std::string declared_as_markdown(const Grid& grid) {
  return as_markdown(grid, [&](std::size_t row, std::size_t column) {
    return declared_text(grid.stages[column], grid.scenarios[row].name);
  });
}

int table(const Options& options, const TableOptions& table_options, faults::Reaper& reaper) {
  const auto plan = table_plan(options, reaper);
  auto grid = empty_grid();
  const bool for_people = !options.json && !table_options.markdown;
  Picture picture(grid, options.paint);
  const auto size = terminal_size();
  const bool live = for_people && size && picture.fits(*size);
  if (live) picture.draw();
  fill_showing_progress(grid, plan, table_options.jobs, reaper, [&] {
    if (live) picture.draw();
  });
  if (options.json) {
    std::cout << grid_as_json(grid).dump(2) << '\n';
  } else if (table_options.markdown) {
    std::cout << as_markdown(grid);
  } else if (!live) {
    std::cout << for_terminal(grid, options.paint);
  }
  if (for_people) {
    std::cout << '\n' << legend_for_terminal();
    show_differences(grid, options.paint);
    if (grid.as_declared()) std::cout << "all as declared\n";
  }
  return grid.as_declared() ? exit_holds : exit_violated;
}

}  // namespace workshop
