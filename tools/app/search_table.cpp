#include "tools/app/search_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "faults/explore/search/survival_page.h"
#include "faults/kit/errors.h"
#include "tools/book/documents.h"
#include "tools/field/locks.h"
#include "tools/table/stages.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"

namespace app {
namespace {

using explore::SurvivalCell;

const std::filesystem::path source(LAB_SOURCE_DIR);

// The file that keeps the cells, and the page of them.
struct KeptTable {
  std::filesystem::path data;
  std::filesystem::path page;
  std::string (*page_of)(const std::vector<SurvivalCell>&);
  bool is_of_field;
};

// The table that the lock is in; empty: that of the stages.
KeptTable table_of(const std::string& lock) {
  if (field::names_lock(lock)) {
    return {.data = source / "field" / "survival.json",
            .page = source / "docs" / "explored-field.md",
            .page_of = explore::field_survival_page,
            .is_of_field = true};
  }
  return {.data = source / "faults" / "explore" / "survival.json",
          .page = source / "docs" / "explored.md",
          .page_of = explore::survival_page,
          .is_of_field = false};
}

// A foreign lock is searched with one fault alone, and for what it promises.
bool is_searched(const explore::SurvivalRow& row, const faults::TestedLock& lock) {
  if (!lock.facts) return true;
  return !row.is_pair() && (row.operations != "nested" || lock.facts->promises("reentrant"));
}

std::vector<SurvivalCell> search_cells(const TablePlan& plan, const terminal::Options& options,
                                       faults::Reaper& reaper) {
  const auto redis = terminal::plan_for(options, reaper).redis;
  const auto locks =
      plan.lock.empty() ? table::all_stages() : std::vector{table::stage_or_lock_named(plan.lock)};
  terminal::Progress progress(options.language("exploring"));
  std::vector<SurvivalCell> cells;
  const auto search = [&](const explore::SurvivalRow& row, const faults::TestedLock& lock) {
    progress.change(options.language(fmt::format("exploring {}: {}", lock.name, row.name)));
    cells.push_back(explore::examine(row, lock, redis, plan.effort, reaper));
  };
  for (const auto& lock : locks) {
    for (const auto& row : explore::survival_rows()) {
      if (is_searched(row, lock)) search(row, lock);
    }
    for (const auto& pair : explore::survival_pairs()) {
      const bool is_open = explore::broken_alone(cells, pair, lock.name).empty();
      if (is_open && is_searched(pair, lock)) search(pair, lock);
    }
  }
  return cells;
}

bool has_lock(const std::vector<SurvivalCell>& cells, const std::string& lock) {
  return std::any_of(cells.begin(), cells.end(),
                     [&](const auto& cell) { return cell.lock == lock; });
}

void must_fit(const KeptTable& table, const faults::TestedLock& lock) {
  if (table.is_of_field) {
    if (lock.nodes == 1) return;
    throw faults::CannotRun(
        fmt::format("{} stands on {} servers, and the table is of locks on one: leave out --record",
                    lock.name, lock.nodes));
  }
  if (has_lock(explore::read_survival(table.data), lock.name)) return;
  throw faults::CannotRun(
      fmt::format("{} is not in the table, which has the stages: leave out --record", lock.name));
}

// The declared table, with these cells of one lock in the place of those that it had.
std::vector<SurvivalCell> with(const KeptTable& table, const std::vector<SurvivalCell>& cells) {
  auto all = explore::read_survival(table.data);
  const auto is_of_it = [&](const auto& cell) { return cell.lock == cells.front().lock; };
  const auto place = std::find_if(all.begin(), all.end(), is_of_it) - all.begin();
  std::erase_if(all, is_of_it);
  all.insert(all.begin() + place, cells.begin(), cells.end());
  return all;
}

void record(const KeptTable& table, const std::vector<SurvivalCell>& cells) {
  for (const auto& cell : cells) {
    if (table.is_of_field || cell.ending != "diverged") continue;
    throw faults::CannotRun(
        fmt::format("{}, {}: a replay has diverged, so nothing is recorded", cell.lock, cell.row));
  }
  book::write_file(table.data, explore::to_text(cells));
  book::write_file(table.page, table.page_of(cells));
}

// A table in Markdown, each of its cells in the language.
std::string in_language(const std::string& table, const terminal::Language& language) {
  std::istringstream lines(table);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '|');) {
      const bool is_text = cell.starts_with(' ');
      text += is_text ? " " + language(cell.substr(1, cell.size() - 2)) + " |" : cell + "|";
    }
    text += '\n';
  }
  return text;
}

// Says what is not as declared; returns the exit code.
int compare_with_declared(const KeptTable& table, const std::vector<SurvivalCell>& cells,
                          const terminal::Language& language) {
  const auto declared = explore::read_survival(table.data);
  const auto file = std::filesystem::relative(table.data, source).native();
  const auto& lock = cells.front().lock;
  if (!has_lock(declared, lock)) {
    std::cerr << "lab: "
              << language(fmt::format("{} has no {}: nothing was compared\n", file, lock));
  }
  int code = terminal::exit_holds;
  for (const auto& cell : cells) {
    const auto how = explore::compare(declared, cell);
    if (how == explore::Comparison::agrees) continue;
    const bool differs = how == explore::Comparison::differs;
    std::cerr << fmt::format("lab: {}, {}: {}\n", cell.lock, language(cell.row),
                             language(differs ? fmt::format("not what {} declares", file)
                                              : "the budget was spent before this was known"));
    if (code == terminal::exit_violated) continue;
    code = differs ? terminal::exit_violated : terminal::exit_not_shown;
  }
  return code;
}

}  // namespace

int search_table(const TablePlan& plan, const terminal::Options& options, faults::Reaper& reaper) {
  const auto kept = table_of(plan.lock);
  if (plan.record && !plan.lock.empty()) must_fit(kept, table::stage_or_lock_named(plan.lock));
  const auto cells = search_cells(plan, options, reaper);
  if (plan.record) record(kept, plan.lock.empty() ? cells : with(kept, cells));
  const auto pairs = kept.is_of_field ? std::string() : "\n" + explore::pairs_table(cells);
  std::cout << (options.json
                    ? explore::to_text(cells)
                    : in_language(explore::survival_table(cells) + pairs, options.language));
  return plan.record ? terminal::exit_holds : compare_with_declared(kept, cells, options.language);
}

}  // namespace app
