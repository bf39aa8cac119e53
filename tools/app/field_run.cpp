#include "tools/app/field_run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <iostream>

#include "faults/explore/virtual_time/one_cpu.h"
#include "faults/kit/errors.h"
#include "faults/running/result_json.h"
#include "tools/app/virtual_cell.h"
#include "tools/book/documents.h"
#include "tools/field/grid.h"
#include "tools/field/html_page.h"
#include "tools/field/install.h"
#include "tools/field/junit.h"
#include "tools/field/leases.h"
#include "tools/field/locks.h"
#include "tools/field/markdown_page.h"
#include "tools/field/new_violations.h"
#include "tools/field/report_data.h"
#include "tools/table/fill.h"
#include "tools/table/stages.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/text.h"

namespace app {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  ./lab field run                               every lock that is installed\n"
    "  ./lab field run redis-py redlock-5            two of them\n"
    "  ./lab field run --install simple-redis-mutex  one of them, installed before\n"
    "  ./lab field run --times 3 --report docs/field-report.md\n"
    "  ./lab field run --time virtual redsync        with the lease that is its default\n"
    "  ./lab field run --kept runs --report docs/field-report.md\n"
    "  ./lab field run --from docs/field-report.json --html field-report.html\n"
    "  ./lab field run mine --junit junit.xml --expect mine.json\n"
    "\n"
    "Exit codes: 0 every cell ran, 1 a violation that is not expected, 2 a cell could not run.";

nlohmann::json as_json(const field::Cell& cell) {
  nlohmann::json object{{"lock", cell.lock}, {"scenario", cell.scenario}, {"cell", cell.word()}};
  if (!cell.not_run.empty()) object["why"] = cell.not_run;
  for (const auto& result : cell.results) object["runs"].push_back(faults::as_json(result, ""));
  return object;
}

void print_cell(const field::Cell& cell, const terminal::Options& options) {
  const auto& say = options.language;
  const auto word = terminal::padded(say(cell.word()), 15);
  std::cout << fmt::format("{:<24} {:<20} {}", cell.lock, cell.scenario,
                           cell.is_violated() ? options.paint.red(word) : word);
  if (cell.could_not_run) std::cout << say(cell.not_run);
  if (!cell.results.empty() && cell.worst().verdict() != faults::Verdict::holds) {
    std::cout << say(cell.worst().shown().judgement.sentence());
  }
  std::cout << std::endl;
}

// How many runs a cell stands on.
std::string say_times(const field::Grid& grid) {
  std::size_t fewest = 0;
  std::size_t most = 0;
  for (const auto& cell : grid.cells) {
    const auto runs = cell.results.size();
    if (runs == 0) continue;
    fewest = fewest == 0 ? runs : std::min(fewest, runs);
    most = std::max(most, runs);
  }
  if (fewest != most) return fmt::format("{} to {} runs", fewest, most);
  return fmt::format("{} run{}", most, most == 1 ? "" : "s");
}

// The report of `grid` as data.
nlohmann::json data_of(const field::Grid& grid, const std::string& redis) {
  return field::report_data(grid, fmt::format("Made on {:%Y-%m-%d} with Redis {}; a cell stands on "
                                              "{}. {}",
                                              fmt::localtime(std::time(nullptr)), redis,
                                              say_times(grid), field::say_leases(grid)));
}

// Writes what is asked for; with the Markdown page its data, which ./lab report shows as well.
void write_pages(const FieldRun& chosen, const nlohmann::json& data,
                 const terminal::Language& language) {
  if (!chosen.report.empty()) {
    const auto stages = field::stage_data(table::all_stages());
    book::write_file(chosen.report, field::markdown_page(data, stages));
    auto beside = chosen.report;
    book::write_file(beside.replace_extension(".json"), data.dump(1) + "\n");
  }
  if (!chosen.html.empty()) book::write_file(chosen.html, field::html_page(data, language));
  if (!chosen.junit.empty()) book::write_file(chosen.junit, field::junit_xml(data));
}

// Prints the violations that were not expected. Returns the exit code.
int compare(const FieldRun& chosen, const nlohmann::json& data,
            const terminal::Language& language) {
  if (chosen.expect.empty()) return terminal::exit_holds;
  const auto found = field::new_violations(data, field::read_report_data(chosen.expect));
  for (const auto& violation : found) std::cerr << violation << '\n';
  std::cerr << language(fmt::format("{} violation{} that {} does not have\n", found.size(),
                                    found.size() == 1 ? "" : "s", chosen.expect.native()));
  return found.empty() ? terminal::exit_holds : terminal::exit_violated;
}

// Writes the pages and compares. Returns the exit code.
int use_data(const FieldRun& chosen, const nlohmann::json& data,
             const terminal::Language& language) {
  write_pages(chosen, data, language);
  return compare(chosen, data, language);
}

// True if the report is wanted in any form: its timelines take time.
bool wants_data(const FieldRun& chosen) {
  const auto files = {chosen.report, chosen.html, chosen.junit, chosen.expect};
  return std::any_of(files.begin(), files.end(), [](const auto& file) { return !file.empty(); });
}

// Installs the locks that are named, or all.
void install_missing(const std::vector<std::string>& names) {
  for (const auto& lock : field::locks_named(names)) field::install(lock);
}

// In virtual time a long lease costs nothing: each lock that lives in it gets its own.
void take_default_leases(field::Grid& grid) {
  for (auto& lock : grid.locks) {
    if (lock.stands_on_redis()) lock = faults::with_default_lease(std::move(lock));
  }
}

// Fills the grid by running its cells, or from kept runs; prints each cell for a person.
void fill(field::Grid& grid, const FieldRun& chosen, const faults::RunPlan& plan,
          faults::Reaper& reaper, const terminal::Options& options) {
  const auto print = [&](const field::Cell& cell) {
    if (!options.json) print_cell(cell, options);
  };
  field::Filling filling{.times = chosen.times, .jobs = table::jobs_for(chosen.jobs)};
  if (chosen.kept.empty() && chosen.time == "virtual") {
    // Each takes one CPU, as in the table of the stages.
    const auto jobs = chosen.jobs > 0 ? chosen.jobs : explore::OneCpu::count();
    field::fill(grid, plan,
                {.times = chosen.times,
                 .jobs = jobs,
                 .run_cell = run_cell_in_virtual_time,
                 .wants = &faults::TestedLock::stands_on_redis},
                reaper, print);
    // Then those whose servers keep real time: beside busy CPUs they would be late.
    filling.wants = std::not_fn(&faults::TestedLock::stands_on_redis);
  }
  if (chosen.kept.empty()) return field::fill(grid, plan, filling, reaper, print);
  field::fill_from_kept(grid, chosen.kept);
  if (chosen.names.empty()) field::drop_locks_without_runs(grid);
  for (const auto& cell : grid.cells) {
    if (!cell.results.empty()) print(cell);
  }
}

void print_json(const field::Grid& grid) {
  auto cells = nlohmann::json::array();
  for (const auto& cell : grid.cells) cells.push_back(as_json(cell));
  std::cout << cells.dump(2) << '\n';
}

}  // namespace

void add_field_run_options(CLI::App& line, FieldRun& chosen) {
  line.footer(examples);
  auto* names =
      line.add_option("names", chosen.names, "locks in field/; all that are installed if left out");
  auto* install = line.add_flag("--install", chosen.install, "install first what is not there");
  auto* times = line.add_option("--times", chosen.times, "how often each cell is run")
                    ->check(CLI::Range(1, 100));
  auto* jobs =
      line.add_option("--jobs", chosen.jobs, "how many cells at once")->check(CLI::Range(1, 256));
  auto* time = add_time_option(line, chosen.time);
  line.add_option("--report", chosen.report,
                  "a file for the report, as a Markdown page; its data go beside it");
  line.add_option("--html", chosen.html, "a file for the report, as an HTML page with timelines");
  line.add_option("--junit", chosen.junit, "a file for the cells as tests, for a CI");
  line.add_option("--expect", chosen.expect,
                  "the data of an earlier report: fail if a violation is not in it");
  auto* kept = line.add_option("--kept", chosen.kept,
                               "run nothing: judge the runs again that are kept there");
  auto* from =
      line.add_option("--from", chosen.from, "run nothing: make the pages of a report's data");
  for (auto* unheeded : {names, install, times, jobs, kept, time}) from->excludes(unheeded);
  kept->excludes(time);
}

int run_field(const terminal::Options& options, const FieldRun& chosen, faults::Reaper& reaper) {
  if (!chosen.from.empty()) {
    if (!wants_data(chosen)) {
      throw faults::CannotRun("--from needs one of --report, --html, --junit and --expect");
    }
    return use_data(chosen, field::read_report_data(chosen.from), options.language);
  }
  if (!chosen.expect.empty()) (void)field::read_report_data(chosen.expect);  // bad input fails now
  if (chosen.install) install_missing(chosen.names);
  auto grid = field::empty_grid(chosen.names);
  if (grid.locks.empty()) throw faults::CannotRun("no lock is installed: ./lab field install");
  if (chosen.time == "virtual") take_default_leases(grid);
  for (const auto& why : grid.left_out) {
    std::cerr << "lab: " << options.language("left out: " + why) << '\n';
  }
  const auto plan = table::table_plan(options, reaper);
  fill(grid, chosen, plan, reaper, options);
  if (options.json) print_json(grid);
  const auto code = wants_data(chosen)
                        ? use_data(chosen, data_of(grid, plan.redis_version), options.language)
                        : terminal::exit_holds;
  const bool all_ran = std::none_of(grid.cells.begin(), grid.cells.end(),
                                    [](const auto& cell) { return cell.could_not_run; });
  return all_ran ? code : terminal::exit_cannot_run;
}

}  // namespace app
