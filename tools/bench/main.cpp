// The program that `./lab bench` starts.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <thread>

#include "faults/kit/errors.h"
#include "faults/kit/interrupt.h"
#include "faults/running/run_scenario.h"
#include "tools/bench/cases/case.h"
#include "tools/bench/results/benchmark_results.h"
#include "tools/bench/runner.h"
#include "tools/bench/tables/compare.h"
#include "tools/bench/tables/tables.h"
#include "tools/book/documents.h"
#include "tools/servers/redis_option.h"
#include "tools/terminal/command_line.h"
#include "tools/terminal/console.h"
#include "tools/terminal/help.h"
#include "tools/terminal/language.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int exit_wrong_result = 1;
constexpr int exit_cannot_run = 2;

constexpr const char* description =
    "What each stage costs, measured on this machine beside the physical limit.";
constexpr const char* examples =
    "Examples:\n"
    "  ./lab bench 3 4                            these two stages, in less than 20 s\n"
    "  ./lab bench --quick                        less than a minute\n"
    "  ./lab bench --filter stage6                of everything, what has stage6 in its name\n"
    "  ./lab bench --filter peers                 beside other people's locks, if installed\n"
    "  ./lab bench --compare runs/OLD/results.json\n"
    "\n"
    "Exit codes: 0 measured, 1 a lock did not do what it should, 2 could not run.";

struct Choice {
  std::vector<int> stages;  // two, side by side; empty: all
  bool quick = false;
  bool smoke = false;
  bool list = false;
  bool as_json = false;
  bool markdown = false;
  bool record = false;
  std::string filter;
  fs::path from;
  fs::path compare;
  fs::path runs = LAB_SOURCE_DIR "/runs";
  terminal::Language language;
};

bench::Scale scale_of(const Choice& choice) {
  if (choice.smoke) return bench::smoke_scale();
  if (choice.quick) return bench::quick_scale();
  return choice.stages.empty() || !choice.filter.empty() ? bench::full_scale()
                                                         : bench::pair_scale();
}

// Without a filter, what tells most of two stages: one client alone, and eight of them.
std::string filter_of(const Choice& choice) {
  if (choice.stages.empty() || !choice.filter.empty()) return choice.filter;
  return "uncontended/stage./tcp/free|contended/held1ms_pause5ms/stage./own";
}

// The name of the same case of the other one of two stages; empty if it is of neither.
std::string other_of(const std::string& name, const std::vector<int>& stages) {
  for (const auto i : {0U, 1U}) {
    const auto part = fmt::format("/stage{}", stages[i]);
    const auto at = name.find(part);
    if (at == std::string::npos) continue;
    return std::string(name).replace(at, part.size(), fmt::format("/stage{}", stages[1 - i]));
  }
  return {};
}

void keep_what_both_have(std::vector<bench::Case>& cases, const std::vector<int>& stages) {
  std::set<std::string> names;
  for (const auto& one : cases) names.insert(one.name);
  std::erase_if(cases,
                [&](const auto& one) { return !names.contains(other_of(one.name, stages)); });
}

std::vector<bench::Case> chosen_cases(const Choice& choice, const bench::Scale& scale) {
  auto cases = bench::all_cases(scale);
  try {
    const std::regex wanted(filter_of(choice));
    if (filter_of(choice).empty()) {  // whoever measures the stages need not wait for these
      std::erase_if(cases, [](const auto& one) { return one.name.starts_with("peers/"); });
    }
    std::erase_if(cases, [&](const auto& one) { return !std::regex_search(one.name, wanted); });
  } catch (const std::regex_error&) {
    throw faults::CannotRun(
        fmt::format("\"{}\" is not a regular expression, as --filter wants one", choice.filter));
  }
  if (!choice.stages.empty()) keep_what_both_have(cases, choice.stages);
  if (cases.empty()) {
    throw faults::CannotRun(
        fmt::format("no benchmark{} has \"{}\" in its name; ./lab bench --list names them",
                    choice.stages.empty() ? "" : " of both stages", choice.filter));
  }
  return cases;
}

void must_be_writable(const fs::path& runs) {
  std::error_code error;
  fs::create_directories(runs, error);
  if (!error && access(runs.c_str(), W_OK) == 0) return;
  throw faults::CannotRun(
      fmt::format("cannot write in {}; choose another with --runs", runs.native()));
}

json measure(const Choice& choice) {
  const auto scale = scale_of(choice);
  const auto cases = chosen_cases(choice, scale);
  must_be_writable(choice.runs);
  faults::Reaper reaper;
  const faults::Interrupt interrupt(reaper, choice.language(faults::Interrupt::says));
  const bench::Kit kit{.reaper = reaper, .redis = faults::find_redis()};
  double load = 0;
  if (getloadavg(&load, 1) == 1) {
    const auto warning = bench::warning_of_load(load, std::thread::hardware_concurrency());
    if (!warning.empty()) std::cerr << "lab: " << choice.language(warning) << '\n';
  }
  terminal::Progress progress(choice.language("measuring"));
  return bench::run_cases(cases, kit, scale, [&](const std::string& name, int done, int all) {
    progress.change(choice.language(fmt::format("measuring {}, {} of {}", name, done + 1, all)));
  });
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream output(file);
  output << text << std::flush;
  if (!output) throw faults::CannotWrite(fmt::format("cannot write {}", file.native()));
}

// For people: all tables, and after a whole run the summary.
std::string as_text(const Choice& choice, const bench::BenchmarkResults& results) {
  const auto& language = choice.language;
  auto text = bench::tables(results, bench::Layout::text, language);
  if (filter_of(choice).empty()) {
    text += "\nin short\n\n" + bench::summary(results, bench::Layout::text, language);
  }
  return language(text);
}

void keep(const Choice& choice, const json& object, const bench::BenchmarkResults& results) {
  const auto directory = faults::make_run_directory(choice.runs, "bench");
  write(directory / "results.json", object.dump(2) + "\n");
  write(directory / "table.txt", as_text(choice, results));
  std::cerr << choice.language("kept in " + directory.native()) << '\n';
}

void print(const Choice& choice, const json& object, const bench::BenchmarkResults& results) {
  const auto layout = choice.markdown ? bench::Layout::markdown : bench::Layout::text;
  const auto& language = choice.language;
  if (choice.as_json) {
    std::cout << object.dump(2) << '\n';
  } else if (!choice.compare.empty()) {
    const auto before = bench::results_from(bench::read_json(choice.compare), choice.compare);
    std::cout << language(bench::comparison(before, results, language));
  } else if (!choice.stages.empty()) {
    std::cout << language(
        bench::comparison(results, choice.stages.front(), choice.stages.back(), layout, language));
  } else if (choice.markdown) {
    std::cout << language(bench::tables(results, layout, language));
  } else {
    std::cout << as_text(choice, results);
  }
}

// Rewrites the tables in the documents; of a run of the peers alone, theirs.
void record(const bench::BenchmarkResults& results) {
  constexpr auto markdown = bench::Layout::markdown;
  const auto chapter = fs::path(LAB_SOURCE_DIR) / "docs" / "benchmarks.md";
  const bool is_of_peers = bench::summary(results, markdown).find("\n| 1 ") == std::string::npos;
  auto text = book::with_block(book::read_file(chapter),
                               is_of_peers ? "bench: peers machine" : "bench: machine",
                               bench::machine(results) + ".\n");
  for (const auto& group : bench::groups()) {
    const auto lines = bench::table(results, group, markdown);
    if (lines.empty()) continue;  // of a run that measured only some
    text = book::with_block(text, "bench: " + group.name, lines);
  }
  if (!is_of_peers) text = book::with_block(text, "bench", bench::summary(results, markdown));
  book::write_file(chapter, text);
}

int run(const Choice& choice) {
  if (choice.list) {
    for (const auto& one : chosen_cases(choice, scale_of(choice))) std::cout << one.name << '\n';
    return 0;
  }
  // Check the older run first: measuring takes minutes.
  if (!choice.compare.empty()) {
    (void)bench::results_from(bench::read_json(choice.compare), choice.compare);
  }
  const bool measures = choice.from.empty();
  const auto object = measures ? measure(choice) : bench::read_json(choice.from);
  const auto results = bench::results_from(object, measures ? "this run" : choice.from.native());
  // Print before keeping: it took minutes, and the disk may be full.
  print(choice, object, results);
  std::cout.flush();
  if (measures) keep(choice, object, results);
  if (choice.record) record(results);
  return 0;
}

// The numbers of the two stages, if any are named: "stage3_set_nx_px" and "stage3" are 3.
std::vector<int> numbers_of(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (names.size() != 2) throw faults::CannotRun("which two stages? such as ./lab bench 3 4");
  static const std::regex stage("(?:stage)?([1-8])(?:_[a-z_]+)?");
  std::vector<int> numbers;
  for (const auto& name : names) {
    std::smatch match;
    if (!std::regex_match(name, match, stage)) {
      throw faults::CannotRun(fmt::format("there is no stage \"{}\"; there are 1 to 8", name));
    }
    numbers.push_back(std::stoi(match[1]));
  }
  return numbers;
}

// The options, into `choice` and `stages`.
void add_options(CLI::App& app, Choice& choice, std::vector<std::string>& stages,
                 std::string& redis) {
  app.add_option("stages", stages, "two stages side by side, such as 3 4; all if left out");
  app.add_flag("--quick", choice.quick, "less than a minute; else less than ten");
  app.add_flag("--smoke", choice.smoke, "seconds: shows that all of it works")->group("");
  app.add_option("--filter", choice.filter, "only what this regular expression finds");
  app.add_flag("--list", choice.list, "names the benchmarks, measures nothing");
  app.add_flag("--json", choice.as_json, "for a machine to read: Google Benchmark's JSON");
  app.add_flag("--markdown", choice.markdown, "as the tables in docs/benchmarks.md");
  app.add_flag("--record", choice.record, "")->group("");  // for maintainers
  app.add_option("--compare", choice.compare, "beside the results.json of an older run");
  app.add_option("--from", choice.from, "shows the results.json of a run, measures nothing");
  servers::add_redis_option(app, redis);
  app.add_option("--runs", choice.runs, "where to keep results")
      ->capture_default_str()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option_function<std::string>(
         "--lang",
         [&choice](const std::string& name) { choice.language = terminal::Language::named(name); })
      ->group("")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // of ./lab
}

int run_program(int argc, char** argv, const terminal::Language& language) {
  CLI::App app(description, "./lab bench");
  app.footer(examples);
  Choice choice{.language = language};
  std::vector<std::string> stages;
  std::string redis;
  add_options(app, choice, stages, redis);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      throw faults::CannotRun(terminal::what_is_wrong(app, "./lab bench", error));
    }
    terminal::translate_help(app, language);
    return app.exit(error);
  }
  choice.stages = numbers_of(stages);
  return run(choice);
}

}  // namespace

int main(int argc, char** argv) {
  const auto language = terminal::language_of(std::vector<std::string>(argv, argv + argc));
  try {
    const int code = run_program(argc, argv, language);
    (void)terminal::flush_output();
    return code;
  } catch (const bench::WrongResult& error) {
    std::cerr << "lab: " << language("wrong result, nothing is measured: ")
              << language(error.what()) << '\n';
    return exit_wrong_result;
  } catch (const std::exception& error) {
    std::cerr << "lab: " << language(error.what()) << '\n';
    return exit_cannot_run;
  }
}
