#include "explore/search/survival.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "explore/search/kept_search.h"
#include "explore/search/words.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

const std::string exclusion = "mutual exclusion";
const std::string budget_spent = "budget spent";

std::string name_of(Ending ending) {
  switch (ending) {
    case Ending::none: return "holds";
    case Ending::violated: return "violated";
    case Ending::budget_spent: break;
  }
  return budget_spent;
}

// The locks of the table, as they stand in it.
std::vector<std::string> locks_of(const std::vector<SurvivalCell>& cells) {
  std::vector<std::string> locks;
  for (const auto& cell : cells) {
    if (std::find(locks.begin(), locks.end(), cell.lock) == locks.end()) locks.push_back(cell.lock);
  }
  return locks;
}

std::string text_of(const SurvivalCell& cell) {
  if (cell.ending == "violated") return fmt::format("✗ {}, {} steps", cell.property, cell.steps);
  if (cell.ending == "diverged") return "! diverged";
  return fmt::format("{} {}", cell.ending == "holds" ? "✓" : "?", cell.orders);
}

}  // namespace

std::string SurvivalRow::title() const {
  return judged.empty() ? name : fmt::format("{}: {}", name, judged);
}

const std::vector<SurvivalRow>& survival_rows() {
  static const std::vector<SurvivalRow> rows{
      {.name = "orders alone"},
      {.name = "nested", .operations = "nested"},
      {.name = "kill", .faults = "kill"},
      {.name = "lost answer", .faults = "lose"},
      {.name = "slow work", .faults = "slow", .switches = 2},
      {.name = "cut off", .faults = "cut"},
      {.name = "freeze in release",
       .faults = "freeze",
       .during = "release",
       .judged = "owner-only release"},
      {.name = "freeze in work", .faults = "freeze", .during = "work", .judged = exclusion},
      {.name = "fail-over", .faults = "failover", .judged = exclusion},
      {.name = "amnesia", .faults = "amnesia", .judged = exclusion},
      {.name = "clock", .faults = "clock", .judged = exclusion}};
  return rows;
}

SurvivalCell examine(const SurvivalRow& row, const faults::Stage& lock,
                     const faults::RedisBinary& redis, std::chrono::milliseconds budget,
                     int workers, faults::Reaper& reaper) {
  const bool on_a_quorum = lock.nodes > 1;
  const WorldPlan world{.stage = lock,
                        .redis = redis,
                        .program = program_named(row.operations),
                        .judged = properties_from(row.judged)};
  const SearchPlan plan{.faults = faults_from(row.faults),
                        .during = operations_from(row.during),
                        .budget = budget,
                        .workers = workers,
                        .switches = on_a_quorum ? std::optional(row.switches) : std::nullopt};
  SurvivalCell cell{.row = row.name, .lock = lock.name, .ending = "diverged"};
  SearchResult result;
  try {
    result = search(world, plan, reaper);
  } catch (const Diverged&) {
    return cell;  // that is no result
  }
  cell.ending = name_of(ending_of(result));
  cell.orders = result.orders();
  if (result.found.empty()) return cell;
  const auto& example = result.found.front();
  cell.property = faults::to_string(example.finding.property);
  cell.steps = example.steps;
  cell.order = example.run.labels;
  cell.order.resize(example.steps);
  return cell;
}

Comparison compare(const std::vector<SurvivalCell>& declared, const SurvivalCell& found) {
  const auto same = std::find_if(declared.begin(), declared.end(), [&](const auto& cell) {
    return cell.row == found.row && cell.lock == found.lock;
  });
  if (same == declared.end() || *same == found) return Comparison::agrees;
  const bool is_broken = found.ending == "violated" || found.ending == "diverged";
  if (same->ending == budget_spent && !is_broken) return Comparison::agrees;
  return found.ending == budget_spent ? Comparison::budget_spent : Comparison::differs;
}

std::vector<SurvivalCell> read_survival(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input) throw faults::CannotRun(fmt::format("cannot read {}", file.native()));
  return nlohmann::json::parse(input).get<std::vector<SurvivalCell>>();
}

std::string to_text(const std::vector<SurvivalCell>& cells) {
  return nlohmann::json(cells).dump(1) + "\n";
}

std::string survival_table(const std::vector<SurvivalCell>& cells) {
  const auto locks = locks_of(cells);
  std::string text = "| at most one |";
  std::string line = "|---|";
  for (const auto& lock : locks) {
    text += fmt::format(" {} |", lock);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const auto& row : survival_rows()) {
    text += fmt::format("| {} |", row.title());
    for (const auto& lock : locks) {
      const auto found = std::find_if(cells.begin(), cells.end(), [&](const auto& cell) {
        return cell.row == row.name && cell.lock == lock;
      });
      text += fmt::format(" {} |", found == cells.end() ? "–" : text_of(*found));
    }
    text += "\n";
  }
  return text;
}

std::string survival_page(const std::vector<SurvivalCell>& cells) {
  auto text =
      "# What survives what, by search?\n\n"
      "Two clients, and at most one fault of the kind that the row names. ✓: every order was run, "
      "so many,\nand none breaks a property, or the one that the row names. ✗: the property that "
      "the "
      "shortest one breaks, and\nbehind how many steps. ?: so many orders were run, and there are "
      "more. !: a replay has diverged, so\nnothing is known. A lock on five servers is searched "
      "with at most one switch, or two for slow work\n([how the search works](searching.md)). "
      "*Nested*: the thread that has the lock takes it again.\n\n" +
      survival_table(cells) +
      "\n`./lab explore --table --record` makes this page. Each ✗ is one of these orders; `./lab "
      "replay` does\none again.\n";
  for (const auto& cell : cells) {
    if (cell.order.empty()) continue;
    text += fmt::format("\n## {}: {}\n\n{}, behind {} steps:\n\n```text\nlock: {}\n", cell.lock,
                        cell.row, cell.property, cell.steps, cell.lock);
    if (cell.row == "nested") text += "operations: nested\n";
    text += "steps:\n";
    for (const auto& label : cell.order) text += label + "\n";
    text += "```\n";
  }
  return text + "\nNext: [how can a fault hit one exact command?](how-the-kit-works.md)\n";
}

}  // namespace explore
