#include "tools/field/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "faults/judging/timeline.h"
#include "faults/running/result_text.h"

namespace field {
namespace {

using faults::Verdict;

constexpr std::string_view what_signs_mean =
    "**✓**: every property that the scenario judges stood. **✓ r**: the lock refused, since no "
    "replica had acknowledged it, and left nothing. **✗**: one was violated; the cell leads "
    "to what happened. **✗ d**: the same, and the library's documentation says so. **·**: the "
    "library does not promise what the scenario asks of it, so it was not asked. **–**: the "
    "scenario does not apply. **?**: it could not be judged, or showed nothing, as the end of this "
    "page says, or was not run.\n\n"
    "A ✗ is a fact about one version with the settings below, not the word *bug*: most libraries "
    "never promised to survive these faults. What each scenario does is in [the "
    "catalogue](scenarios.md).\n";

const faults::Passage* passage_of(const std::map<std::string, faults::Passage>& passages,
                                  const std::string& scenario) {
  const auto found = passages.find(scenario);
  return found == passages.end() ? nullptr : &found->second;
}

const Cell& cell_of(const Grid& grid, const faults::TestedLock& lock, const std::string& scenario) {
  return *std::find_if(grid.cells.begin(), grid.cells.end(), [&](const auto& cell) {
    return cell.lock == lock.name && cell.scenario == scenario;
  });
}

// The name of the heading "lock: scenario", as web pages make it.
std::string anchor_of(const Cell& cell) {
  auto name = cell.lock;
  std::erase_if(name, [](char c) { return c == '.' || c == '/'; });
  return fmt::format("#{}-{}", name, cell.scenario);
}

std::string sign_of(const Cell& cell, const faults::TestedLock& lock) {
  if (cell.is_violated()) {
    const bool is_documented = passage_of(lock.facts->documented, cell.scenario) != nullptr;
    return fmt::format("[✗{}]({})", is_documented ? " d" : "", anchor_of(cell));
  }
  const auto word = cell.word();
  if (word == "holds") return "✓";
  if (word == "refused") return "✓ r";
  if (word == "not promised") return "·";
  return word == "–" ? "–" : "?";
}

// True if the scenario was run on any of the locks.
bool was_run(const Grid& grid, const std::string& scenario) {
  return std::any_of(grid.cells.begin(), grid.cells.end(), [&](const Cell& cell) {
    return cell.scenario == scenario && (!cell.results.empty() || cell.could_not_run);
  });
}

// The row of a scenario: one cell for each lock.
std::string row_of(const Grid& grid, const std::string& scenario) {
  std::string row = fmt::format("| `{}` |", scenario);
  for (const auto& lock : grid.locks) {
    row += fmt::format(" {} |", sign_of(cell_of(grid, lock, scenario), lock));
  }
  return row + "\n";
}

std::string table_of(const Grid& grid) {
  std::string head = "| scenario |";
  std::string line = "|---|";
  for (const auto& lock : grid.locks) {
    head += fmt::format(" [{0}](../field/{1}/) |", lock.name, lock.directory.filename().native());
    line += "---|";
  }
  auto rows = head + "\n" + line + "\n";
  for (const auto& scenario : faults::all_scenarios()) {
    if (was_run(grid, scenario.name)) rows += row_of(grid, scenario.name);
  }
  return rows + "\n";
}

// Says what a lock was, as it introduced itself, and what its adapter chooses.
std::string settings_of(const faults::TestedLock& lock) {
  auto text = lock.adds;
  if (lock.nodes > 1) text += fmt::format(", on {} servers", lock.nodes);
  const auto& settings = lock.facts->settings;
  return text + (settings.empty() ? "." : fmt::format(". {}.", fmt::join(settings, "; ")));
}

std::string settings_of(const Grid& grid) {
  std::string text = "## The locks and their settings\n\n";
  for (const auto& lock : grid.locks) {
    text += fmt::format("- **{}**: {}\n", lock.name, settings_of(lock));
  }
  return text + "\n";
}

// The beginning and the end of a timeline that is too long to be read there.
std::string cut(const std::string& timeline, std::ptrdiff_t at_first, std::ptrdiff_t at_last) {
  std::vector<std::string> lines;
  std::istringstream in(timeline);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto left_out = std::ssize(lines) - at_first - at_last;
  if (left_out <= 1) return timeline;
  lines.erase(lines.begin() + at_first, lines.end() - at_last);
  lines.insert(lines.begin() + at_first, fmt::format("      … {} lines more …", left_out));
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

struct Shown {
  const faults::Result* result = nullptr;
  const faults::Execution* execution = nullptr;
  std::string timeline;
};

// The violated execution with the shortest timeline.
Shown shortest(const Cell& cell) {
  Shown shown;
  auto fewest = std::string::npos;
  for (const auto& result : cell.results) {
    for (const auto& execution : result.executions) {
      if (execution.judgement.verdict != Verdict::violated) continue;
      auto timeline =
          faults::draw_timeline(faults::read_record(execution.history), {.columns = 100});
      const auto lines =
          static_cast<std::size_t>(std::count(timeline.begin(), timeline.end(), '\n'));
      if (shown.result != nullptr && lines >= fewest) continue;
      fewest = lines;
      shown = {.result = &result, .execution = &execution, .timeline = std::move(timeline)};
    }
  }
  return shown;
}

// A violated cell, in sentences; each but the first may be empty.
struct Told {
  std::string sentence;
  std::string at;          // at which boundaries
  std::string not_always;  // in how many runs
  std::string because;
  std::string documented;
  std::string again;  // the command
  std::string timeline;
};

std::string say_runs(const Cell& cell) {
  const auto violated = std::count_if(
      cell.results.begin(), cell.results.end(),
      [](const faults::Result& result) { return result.verdict() == Verdict::violated; });
  return fmt::format("Not in every run: in {} of {}.", violated, cell.results.size());
}

std::string say_passage(const faults::Passage* passage) {
  return passage == nullptr ? "" : fmt::format("{} ({}).", passage->says, passage->where);
}

Told tell(const Cell& cell, const faults::TestedLock& lock) {
  const auto shown = shortest(cell);
  Told told{.sentence = shown.execution->judgement.sentence() + ".",
            .at = {},
            .not_always = cell.runs_agree() ? "" : say_runs(cell),
            .because = say_passage(passage_of(lock.facts->because, cell.scenario)),
            .documented = say_passage(passage_of(lock.facts->documented, cell.scenario)),
            .again = shown.result->again,
            .timeline = shown.timeline};
  if (!shown.execution->boundary.empty()) {
    told.at = fmt::format("At {} of {} boundaries; here: {}.", shown.result->broken_at().size(),
                          shown.result->executions.size(), shown.execution->boundary);
  }
  return told;
}

std::string say_cell(const Cell& cell, const faults::TestedLock& lock) {
  const auto told = tell(cell, lock);
  auto text = fmt::format("### {}: {}\n\n{}\n", cell.lock, cell.scenario, told.sentence);
  for (const auto* line : {&told.at, &told.not_always}) {
    if (!line->empty()) text += *line + "\n";
  }
  if (!told.because.empty()) text += fmt::format("\nIn its source: {}\n", told.because);
  text += told.documented.empty() ? "\nNo passage of its documentation is known that says so.\n"
                                  : fmt::format("\nDocumented: {}\n", told.documented);
  return text + fmt::format(
                    "\n<details><summary><code>{}</code></summary>\n\n```text\n{}```\n\n"
                    "</details>\n\n",
                    told.again, cut(told.timeline, 20, 25));
}

// Why a cell says nothing about the lock; empty if it does.
std::string doubt_about(const Cell& cell) {
  const auto word = cell.word();
  const bool is_judged = cell.is_violated() || word == "holds" || word == "refused" ||
                         word == "not promised" || word == "–";
  if (is_judged || (cell.not_run.empty() && cell.results.empty())) return {};
  return cell.not_run.empty() ? cell.worst().shown().judgement.sentence() : cell.not_run;
}

std::string say_doubt(const Cell& cell) {
  const auto why = doubt_about(cell);
  return why.empty() ? "" : fmt::format("- {} · {}: {}\n", cell.lock, cell.scenario, why);
}

// The sweeps of which a part says nothing about the lock, and why.
std::string say_left_out(const Grid& grid, const faults::TestedLock& lock) {
  std::vector<std::string> scenarios;
  std::string why;
  for (const auto& cell : grid.cells) {
    if (cell.lock != lock.name || cell.results.empty()) continue;
    const auto& left_out = cell.worst().left_out;
    if (left_out.empty()) continue;
    scenarios.push_back(cell.scenario);
    why = left_out;
  }
  return scenarios.empty()
             ? ""
             : fmt::format("- {} · {}: {}\n", lock.name, fmt::join(scenarios, ", "), why);
}

nlohmann::json cell_data(const Cell& cell, const faults::TestedLock& lock) {
  if (!cell.is_violated()) {
    nlohmann::json data{{"sign", sign_of(cell, lock)}};
    const auto why = cell.not_run.empty() ? doubt_about(cell) : cell.not_run;
    if (!why.empty()) data["why"] = why;
    return data;
  }
  const auto told = tell(cell, lock);
  nlohmann::json data{{"sign", told.documented.empty() ? "✗" : "✗ d"},
                      {"sentence", told.sentence},
                      {"at", told.at},
                      {"not_always", told.not_always},
                      {"because", told.because},
                      {"documented", told.documented},
                      {"again", told.again},
                      {"timeline", cut(told.timeline, 4, 9)}};
  for (auto entry = data.begin(); entry != data.end();) {
    entry = entry->get_ref<const std::string&>().empty() ? data.erase(entry) : std::next(entry);
  }
  return data;
}

}  // namespace

std::string report(const Grid& grid, const std::string& made) {
  auto text = fmt::format(
      "# What do other people's locks survive?\n\n"
      "Locks that people use, under the scenarios of this repository. {}\n\n"
      "Each lock stands in [field/](../field/README.md) with its adapter and with what its "
      "documentation promises. `./lab field run --report` makes this page.\n\n",
      made);
  text += table_of(grid) + std::string(what_signs_mean) + "\n" + settings_of(grid);
  text += "## What was violated\n\n";
  for (const auto& lock : grid.locks) {
    for (const auto& scenario : faults::all_scenarios()) {
      const auto& cell = cell_of(grid, lock, scenario.name);
      if (cell.is_violated()) text += say_cell(cell, lock);
    }
  }
  text += "## What could not be judged\n\n";
  for (const auto& cell : grid.cells) text += say_doubt(cell);
  for (const auto& lock : grid.locks) text += say_left_out(grid, lock);
  for (const auto& why : grid.left_out) text += fmt::format("- {}\n", why);
  return text;
}

nlohmann::json report_data(const Grid& grid, const std::string& made) {
  nlohmann::json data{{"made", made}, {"locks", nlohmann::json::array()}};
  data["rows"] = nlohmann::json::array();
  for (const auto& lock : grid.locks) {
    data["locks"].push_back({{"name", lock.name}, {"says", settings_of(lock)}});
  }
  for (const auto& scenario : faults::all_scenarios()) {
    if (!was_run(grid, scenario.name)) continue;
    auto cells = nlohmann::json::array();
    for (const auto& lock : grid.locks) {
      cells.push_back(cell_data(cell_of(grid, lock, scenario.name), lock));
    }
    data["rows"].push_back({{"scenario", scenario.name},
                            {"sentence", scenario.sentence},
                            {"cells", std::move(cells)}});
  }
  return data;
}

}  // namespace field
