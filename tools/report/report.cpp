#include "tools/report/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "faults/kit/errors.h"
#include "tools/report/data.h"
#include "tools/report/html_page.h"
#include "tools/report/price.h"
#include "tools/report/runs.h"
#include "tools/table/differences.h"
#include "tools/table/fill.h"
#include "tools/table/grid.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"

namespace report {
namespace {

namespace fs = std::filesystem;

// Checks before the table runs, which takes about a minute. A path that exists and is no file, such
// as /dev/null, would be replaced by one.
void must_be_writable(const fs::path& out) {
  const auto directory = out.has_parent_path() ? out.parent_path() : fs::path(".");
  const bool in_the_way = fs::exists(out) && !fs::is_regular_file(out);
  if (in_the_way || !fs::is_directory(directory) || access(directory.c_str(), W_OK) != 0) {
    throw faults::CannotRun(
        fmt::format("cannot write {}; name another file with --out", out.native()));
  }
}

table::Grid run_table(const terminal::Options& options, int jobs, faults::Reaper& reaper) {
  const auto plan = table::table_plan(options, reaper);
  auto grid = table::empty_grid();
  table::fill_showing_progress(grid, options.language, plan, jobs, reaper, [] {});
  std::cout << options.language("the runs are kept in " + plan.runs.native()) << '\n';
  return grid;
}

// Writes a file beside it first, and renames that: a reader never sees half of the text.
void write_whole(const fs::path& file, const std::string& text) {
  auto part = file;
  part += fmt::format(".{}.part", getpid());
  std::ofstream output(part, std::ios::binary);
  output << text << std::flush;
  output.close();
  std::error_code error;
  if (output) fs::rename(part, file, error);
  if (output && !error) return;
  fs::remove(part, error);
  throw faults::CannotWrite(fmt::format("cannot write {}: the disk may be full", file.native()));
}

table::Grid read_table(const fs::path& directory, const terminal::Language& language) {
  auto [grid, skipped] = [&] {
    const terminal::Progress progress(language("reading the runs"));
    return grid_from(directory);
  }();
  if (skipped > 0) {
    std::cout << language(fmt::format(
        "skipped {} of its runs: they cannot be judged, as when interrupted\n", skipped));
  }
  return std::move(grid);
}

}  // namespace

int make_report(const terminal::Options& options, const Choice& choice, faults::Reaper& reaper) {
  must_be_writable(choice.out);
  const auto bench = choice.bench.empty() ? newest_bench(options.runs) : choice.bench;
  // Bad input fails now rather than after the table.
  if (bench) (void)price_of(table::empty_grid(), bench);
  (void)html_page(nlohmann::json::object());
  const auto grid = choice.from.empty() ? run_table(options, choice.jobs, reaper)
                                        : read_table(choice.from, options.language);
  auto data = page_data(grid, bench, options.language);
  if (!choice.from.empty()) data["from"] = choice.from.filename().native();
  if (choice.hides_verdicts) data["hides_verdicts"] = true;
  const auto page = html_page(data);
  write_whole(choice.out, page);
  if (!bench) {
    std::cout << options.language(
        "the page has no latencies: for those, run ./lab bench --quick first\n");
  }
  table::show_differences(grid, options);
  const bool differs = std::any_of(grid.cells.begin(), grid.cells.end(),
                                   [](const auto& cell) { return !cell.difference.empty(); });
  return differs ? terminal::exit_violated : terminal::exit_holds;
}

}  // namespace report
