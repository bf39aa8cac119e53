// `lab field`: the locks that people use against the scenarios that apply to them.
#include "tools/table/field.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "faults/kit/errors.h"
#include "tools/app/commands.h"
#include "tools/app/install_locks.h"
#include "tools/book/documents.h"
#include "tools/table/field_report.h"
#include "tools/table/fill.h"
#include "tools/table/locks.h"
#include "tools/table/options.h"
#include "tools/table/results.h"

namespace app {
namespace {

constexpr const char* field_examples =
    "Examples:\n"
    "  ./lab field                                every lock that is installed\n"
    "  ./lab field redis-py redlock-5             two of them\n"
    "  ./lab field --install simple-redis-mutex   one of them, installed before\n"
    "  ./lab field --times 3 --report docs/field-report.md\n"
    "  ./lab field --kept runs --report docs/field-report.md\n"
    "\n"
    "Exit codes: 0 every cell ran, 2 one could not.";

struct FieldLine {
  std::vector<std::string> names;
  bool install = false;
  int times = 1;
  int jobs = 0;
  std::string report;
  std::filesystem::path kept;
};

nlohmann::json as_json(const table::FieldCell& cell) {
  nlohmann::json object{{"lock", cell.lock}, {"scenario", cell.scenario}, {"cell", cell.word()}};
  if (!cell.not_run.empty()) object["why"] = cell.not_run;
  for (const auto& result : cell.results) object["runs"].push_back(table::to_json(result, ""));
  return object;
}

void print_cell(const table::FieldCell& cell, const faults::Paint& paint) {
  const bool red = cell.is_violated();
  const auto word = fmt::format("{:<15}", cell.word());
  std::cout << fmt::format("{:<24} {:<20} {}", cell.lock, cell.scenario,
                           red ? paint.red(word) : word);
  if (cell.could_not_run) std::cout << cell.not_run;
  if (!cell.results.empty() && cell.worst().verdict() != faults::Verdict::holds) {
    std::cout << cell.worst().shown().judgement.sentence();
  }
  std::cout << std::endl;
}

// How many runs a cell stands on.
std::string say_times(const table::Field& field) {
  std::size_t fewest = 0;
  std::size_t most = 0;
  for (const auto& cell : field.cells) {
    const auto runs = cell.results.size();
    if (runs == 0) continue;
    fewest = fewest == 0 ? runs : std::min(fewest, runs);
    most = std::max(most, runs);
  }
  if (fewest != most) return fmt::format("{} to {} runs", fewest, most);
  return fmt::format("{} run{}", most, most == 1 ? "" : "s");
}

// Writes the page, and beside it its data for the tab of ./lab report.
void write_report(const FieldLine& chosen, const table::Field& field, const std::string& redis) {
  const auto made = fmt::format("Made on {:%Y-%m-%d} with Redis {}; a cell stands on {}.",
                                fmt::localtime(std::time(nullptr)), redis, say_times(field));
  documents::write_file(chosen.report, table::field_report(field, made));
  const auto data = std::filesystem::path(chosen.report).replace_extension(".json");
  documents::write_file(data, table::field_data(field, made).dump(1) + "\n");
}

// Installs the locks that are named, or all.
void install_missing(const std::vector<std::string>& names) {
  std::vector<faults::LockFile> locks;
  for (const auto& name : names) locks.push_back(table::lock_file_named(name));
  if (names.empty()) locks = table::all_locks();
  for (const auto& lock : locks) install_lock(lock);
}

int run_field(const table::Options& options, const FieldLine& chosen, faults::Reaper& reaper) {
  if (chosen.install) install_missing(chosen.names);
  auto field = table::empty_field(chosen.names);
  for (const auto& why : field.left_out) std::cerr << "lab: left out: " << why << '\n';
  if (field.locks.empty()) throw faults::CannotRun("no lock is installed: ./lab locks install");
  const auto plan = table::table_plan(options, reaper);
  const auto print = [&](const table::FieldCell& cell) {
    if (!options.json) print_cell(cell, options.paint);
  };
  if (chosen.kept.empty()) {
    table::fill_field(field, plan, chosen.times, table::jobs_for(chosen.jobs), reaper, print);
  } else {
    table::fill_from_kept(field, chosen.kept);
    if (chosen.names.empty()) table::drop_locks_without_runs(field);
    for (const auto& cell : field.cells) {
      if (!cell.results.empty()) print(cell);
    }
  }
  if (options.json) {
    auto cells = nlohmann::json::array();
    for (const auto& cell : field.cells) cells.push_back(as_json(cell));
    std::cout << cells.dump(2) << '\n';
  }
  if (!chosen.report.empty()) write_report(chosen, field, plan.redis_version);
  const bool all_ran = std::none_of(field.cells.begin(), field.cells.end(),
                                    [](const auto& cell) { return cell.could_not_run; });
  return all_ran ? table::exit_holds : table::exit_cannot_run;
}

}  // namespace

Command field_command(CLI::App& lab, Shared& shared) {
  const auto chosen = std::make_shared<FieldLine>();
  auto* line = lab.add_subcommand("field", "runs the installed ones against every scenario");
  line->footer(field_examples);
  line->add_option("names", chosen->names, "locks in field/; all that are installed if left out");
  line->add_flag("--install", chosen->install, "install first what is not there");
  line->add_option("--times", chosen->times, "how often each cell is run")
      ->check(CLI::Range(1, 100));
  line->add_option("--jobs", chosen->jobs, "how many cells at once")->check(CLI::Range(1, 256));
  line->add_option("--report", chosen->report,
                   "a file for the report, as a Markdown page; its data go beside it");
  line->add_option("--kept", chosen->kept, "run nothing: judge the runs again that are kept there");
  add_json_flag(*line, shared);
  return {.line = line, .question = {}, .run = [chosen, &shared] {
            return with_reaper(
                [&](faults::Reaper& reaper) { return run_field(shared.options, *chosen, reaper); });
          }};
}

}  // namespace app
